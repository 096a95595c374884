CREATE TABLE `externals` (
	`post_id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`source` text NOT NULL,
	`external_id` text NOT NULL,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `externals_key` ON `externals` (`kind`,`source`,`external_id`);--> statement-breakpoint
CREATE TABLE `kept_answers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`route` text NOT NULL,
	`key` text NOT NULL,
	`fingerprint` text NOT NULL,
	`request` text NOT NULL,
	`at_utc` text NOT NULL,
	`status` integer,
	`headers` text,
	`body` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `kept_answers_key` ON `kept_answers` (`user_id`,`route`,`key`);--> statement-breakpoint
CREATE INDEX `kept_answers_time` ON `kept_answers` (`at_utc`);