CREATE TABLE `occurrences` (
	`post_id` integer PRIMARY KEY NOT NULL,
	`series_id` integer NOT NULL,
	`recurrence_id` text NOT NULL,
	`overrides` text NOT NULL,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`series_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `occurrences_series` ON `occurrences` (`series_id`,`recurrence_id`);--> statement-breakpoint
CREATE TABLE `series` (
	`post_id` integer PRIMARY KEY NOT NULL,
	`rrule` text NOT NULL,
	`rdate` text NOT NULL,
	`exdate` text NOT NULL,
	`until` text NOT NULL,
	`next_utc` text,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `series_next` ON `series` (`next_utc`);