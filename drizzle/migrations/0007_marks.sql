CREATE TABLE `marks` (
	`id` integer PRIMARY KEY NOT NULL,
	`mark` text NOT NULL,
	`record_id` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `marks_mark_unique` ON `marks` (`mark`);