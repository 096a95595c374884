CREATE TABLE `digests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`folded` text NOT NULL,
	`confirmed_utc` text,
	`language` text NOT NULL,
	`every` text NOT NULL,
	`filters` text NOT NULL,
	`proposed` text,
	`expires_utc` text,
	`created_utc` text NOT NULL,
	`told_utc` text NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `digests_folded` ON `digests` (`folded`);--> statement-breakpoint
CREATE INDEX `digests_due` ON `digests` (`every`,`told_utc`) WHERE confirmed_utc is not null;--> statement-breakpoint
CREATE INDEX `digests_expires` ON `digests` (`expires_utc`) WHERE expires_utc is not null;--> statement-breakpoint
ALTER TABLE `mails` ADD `html` text;--> statement-breakpoint
ALTER TABLE `mails` ADD `headers` text;--> statement-breakpoint
ALTER TABLE `mails` ADD `topic` text;--> statement-breakpoint
CREATE INDEX `mails_topic` ON `mails` (`topic`) WHERE topic is not null;