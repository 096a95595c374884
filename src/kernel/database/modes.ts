/** Modes of files and folders for the user of the service only. The umask can remove permissions, but not add any. */
export const PRIVATE = { file: 0o600, folder: 0o700 }

/** Modes of files and folders that the group may also read: images, for a web server that serves their folder. */
export const SHARED = { file: 0o640, folder: 0o750 }

/** The file beside the database that holds the password of the first user until its operator deletes it. */
export const FIRST_PASSWORD = 'first-password'
