CREATE TABLE `long_postings` (
	`word` integer NOT NULL,
	`block` integer NOT NULL,
	`events` blob NOT NULL,
	PRIMARY KEY(`word`, `block`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `long_postings` (`word`, `block`, `events`) SELECT `word`, `block`, `events` FROM `postings` WHERE length(`events`) > 200 ORDER BY `word`, `block`;--> statement-breakpoint
-- written anew and in order, since rows that were long leave gaps
ALTER TABLE `postings` RENAME TO `earlier_postings`;--> statement-breakpoint
CREATE TABLE `postings` (
	`word` integer NOT NULL,
	`block` integer NOT NULL,
	`events` blob NOT NULL,
	PRIMARY KEY(`word`, `block`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `postings` (`word`, `block`, `events`) SELECT `word`, `block`, iif(length(`events`) > 200, x'', `events`) FROM `earlier_postings` ORDER BY `word`, `block`;--> statement-breakpoint
DROP TABLE `earlier_postings`;
