PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_listings` (
	`event_id` integer PRIMARY KEY NOT NULL,
	`status` text NOT NULL,
	`author_id` integer NOT NULL,
	`language` text NOT NULL,
	`parent_id` integer,
	`starts` integer NOT NULL,
	`ends` integer NOT NULL,
	`utc_starts` integer NOT NULL,
	`utc_ends` integer NOT NULL,
	`modified` integer DEFAULT 0 NOT NULL,
	`hidden` integer DEFAULT false NOT NULL,
	`protected` integer DEFAULT false NOT NULL,
	`featured` integer DEFAULT false NOT NULL,
	`ticketed` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`event_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_listings`("event_id", "status", "author_id", "language", "parent_id", "starts", "ends", "utc_starts", "utc_ends", "modified", "hidden", "protected", "featured", "ticketed") SELECT "event_id", "status", "author_id", "language", "parent_id", "starts", "ends", "utc_starts", "utc_ends", coalesce((SELECT unixepoch("modified_utc") FROM `posts` WHERE `id` = "event_id"), 0), "hidden", "protected", "featured", "ticketed" FROM `listings`;--> statement-breakpoint
DROP TABLE `listings`;--> statement-breakpoint
ALTER TABLE `__new_listings` RENAME TO `listings`;--> statement-breakpoint
PRAGMA foreign_keys=ON;