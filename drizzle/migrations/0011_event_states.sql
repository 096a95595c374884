ALTER TABLE `events` ADD `event_status` text DEFAULT 'scheduled' NOT NULL;--> statement-breakpoint
ALTER TABLE `events` ADD `attendance_mode` text DEFAULT 'offline' NOT NULL;--> statement-breakpoint
ALTER TABLE `events` ADD `virtual_url` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `listings` ADD `event_status` text DEFAULT 'scheduled' NOT NULL;--> statement-breakpoint
ALTER TABLE `listings` ADD `attendance_mode` text DEFAULT 'offline' NOT NULL;--> statement-breakpoint
ALTER TABLE `terms` ADD `modified_utc` text DEFAULT '' NOT NULL;--> statement-breakpoint
UPDATE `terms` SET `modified_utc` = datetime('now');--> statement-breakpoint
UPDATE `terms` SET `modified_utc` = `last`.`at` FROM (SELECT `kind`, `record_id`, max(`at_utc`) AS `at` FROM `changes` WHERE `kind` IN ('category', 'tag') AND `operation` <> 'refresh' GROUP BY `kind`, `record_id`) AS `last` WHERE `last`.`kind` = `terms`.`taxonomy` AND `last`.`record_id` = `terms`.`id`;
