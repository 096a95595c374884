DROP INDEX `posts_status_date_utc`;--> statement-breakpoint
DROP INDEX `posts_translation_group`;--> statement-breakpoint
DROP INDEX `posts_image`;--> statement-breakpoint
DROP INDEX `posts_parent`;--> statement-breakpoint
CREATE INDEX `posts_due` ON `posts` (`date_utc`) WHERE status = 'future';--> statement-breakpoint
CREATE INDEX `posts_translation_group` ON `posts` (`translation_group`) WHERE translation_group is not null;--> statement-breakpoint
CREATE INDEX `posts_image` ON `posts` (`image_id`) WHERE image_id is not null;--> statement-breakpoint
CREATE INDEX `posts_parent` ON `posts` (`parent_id`) WHERE parent_id is not null;--> statement-breakpoint
ALTER TABLE `links` RENAME TO `earlier_links`;--> statement-breakpoint
CREATE TABLE `links` (
	`event_id` integer NOT NULL,
	`kind` text NOT NULL,
	`target_id` integer NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`event_id`, `kind`, `target_id`),
	FOREIGN KEY (`event_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `links` (`event_id`, `kind`, `target_id`, `position`) SELECT `event_id`, `kind`, `target_id`, `position` FROM `earlier_links` ORDER BY `event_id`, `kind`, `target_id`;--> statement-breakpoint
DROP TABLE `earlier_links`;--> statement-breakpoint
CREATE INDEX `links_target` ON `links` (`kind`,`target_id`,`event_id`);
