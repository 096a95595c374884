/** Permissions of what nobody but the service's own user may look into. The umask can take from them, never add. */
export const PRIVATE = { file: 0o600, folder: 0o700 }

/** Permissions of what the group of the service may read as well: pictures, for a web server that serves their folder. */
export const SHARED = { file: 0o640, folder: 0o750 }
