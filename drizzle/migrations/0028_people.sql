CREATE TABLE `mails` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`recipient` text NOT NULL,
	`subject` text NOT NULL,
	`text` text NOT NULL,
	`created_utc` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`next_utc` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `mails_next` ON `mails` (`next_utc`);--> statement-breakpoint
CREATE TABLE `sign_ins` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`kind` text NOT NULL,
	`name` text DEFAULT '' NOT NULL,
	`secret` text,
	`external` text,
	`counter` integer DEFAULT 0 NOT NULL,
	`created_utc` text NOT NULL,
	`last_used_utc` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sign_ins_user` ON `sign_ins` (`user_id`);--> statement-breakpoint
CREATE INDEX `sign_ins_external` ON `sign_ins` (`kind`,`external`);--> statement-breakpoint
CREATE TABLE `submissions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` integer NOT NULL,
	`state` text NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`language` text NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`reply` text DEFAULT '' NOT NULL,
	`hash` text,
	`created_utc` text NOT NULL,
	`decided_utc` text,
	`decided_by` integer,
	FOREIGN KEY (`event_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`decided_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `submissions_event` ON `submissions` (`event_id`);--> statement-breakpoint
CREATE INDEX `submissions_hash` ON `submissions` (`hash`);--> statement-breakpoint
CREATE INDEX `submissions_state` ON `submissions` (`state`,`id`);--> statement-breakpoint
CREATE INDEX `submissions_decided` ON `submissions` (`decided_utc`);--> statement-breakpoint
CREATE TABLE `tickets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`purpose` text NOT NULL,
	`user_id` integer,
	`hash` text NOT NULL,
	`data` text,
	`expires_utc` text NOT NULL,
	`created_utc` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tickets_hash` ON `tickets` (`hash`);--> statement-breakpoint
CREATE INDEX `tickets_expires` ON `tickets` (`expires_utc`);--> statement-breakpoint
ALTER TABLE `tokens` ADD `sign_in_id` integer REFERENCES sign_ins(id) ON DELETE cascade;--> statement-breakpoint
ALTER TABLE `tokens` ADD `limits` text;--> statement-breakpoint
CREATE INDEX `tokens_sign_in` ON `tokens` (`sign_in_id`);--> statement-breakpoint
ALTER TABLE `users` ADD `name` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `email` text;--> statement-breakpoint
ALTER TABLE `users` ADD `limits` text;--> statement-breakpoint
CREATE INDEX `users_email` ON `users` (`email`);