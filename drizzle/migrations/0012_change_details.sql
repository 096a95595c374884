ALTER TABLE `changes` ADD `by` integer;--> statement-breakpoint
ALTER TABLE `changes` ADD `was_status` text;--> statement-breakpoint
ALTER TABLE `changes` ADD `was_author` integer;--> statement-breakpoint
ALTER TABLE `changes` ADD `was_language` text;--> statement-breakpoint
ALTER TABLE `changes` ADD `was_hidden` integer;--> statement-breakpoint
ALTER TABLE `changes` ADD `touched` integer DEFAULT 0 NOT NULL;