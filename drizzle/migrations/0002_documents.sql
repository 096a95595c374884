-- What lists look at stands before the texts: SQLite reads a row from its first column on.
CREATE TABLE `documents_new` (
	`post_id` integer PRIMARY KEY NOT NULL,
	`status` text NOT NULL,
	`author_id` integer NOT NULL,
	`translation_group` integer,
	`protected` integer NOT NULL,
	`refs` text,
	`body` blob NOT NULL,
	`blanked` blob,
	`json_ld` blob NOT NULL,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
INSERT INTO `documents_new` SELECT `post_id`, `status`, `author_id`, `translation_group`, `password_hash` IS NOT NULL, `refs`, `body`, `blanked`, `json_ld`
	FROM `documents` JOIN `posts` ON `id` = `post_id` ORDER BY `post_id`;
DROP TABLE `documents`;
ALTER TABLE `documents_new` RENAME TO `documents`;
