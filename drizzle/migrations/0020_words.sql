CREATE TABLE `postings` (
	`word` integer NOT NULL,
	`block` integer NOT NULL,
	`events` blob NOT NULL,
	PRIMARY KEY(`word`, `block`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `unindexed` (
	`event_id` integer PRIMARY KEY NOT NULL,
	`open` text,
	`sealed` text,
	`merge` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `words` (
	`id` integer PRIMARY KEY NOT NULL,
	`word` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `words_word_unique` ON `words` (`word`);--> statement-breakpoint
-- Words take the place of trigrams. Texts are found from the first moment: those in `unindexed` are read until they are merged.
DROP TABLE `search`;--> statement-breakpoint
DROP TABLE `sealed`;--> statement-breakpoint
DROP TABLE `grams`;--> statement-breakpoint
INSERT INTO `unindexed` (`event_id`, `open`, `sealed`, `merge`) SELECT `id`, '', '', 0 FROM `posts` WHERE `kind` = 'event';
