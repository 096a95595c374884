ALTER TABLE `posts` ADD `untrashed_status` text;--> statement-breakpoint
UPDATE `posts` SET `untrashed_status` = `trashed`.`was_status`
  FROM (SELECT `record_id`, `was_status`, max(`seq`) FROM `changes` WHERE `operation` = 'trash' GROUP BY `record_id`) AS `trashed`
  WHERE `trashed`.`record_id` = `posts`.`id` AND `posts`.`status` = 'trash';--> statement-breakpoint
CREATE INDEX `posts_shown_image` ON `posts` (`image_id`,`status`,`password_hash`) WHERE status = 'publish' and password_hash is null and image_id is not null;--> statement-breakpoint
ALTER TABLE `terms` ADD `hidden` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE `terms` SET `hidden` = true
  WHERE EXISTS (SELECT 1 FROM `links` WHERE `kind` = `taxonomy` AND `target_id` = `terms`.`id`)
  AND NOT EXISTS (SELECT 1 FROM `links` JOIN `posts` ON `posts`.`id` = `event_id`
    WHERE `links`.`kind` = `taxonomy` AND `target_id` = `terms`.`id` AND `status` = 'publish' AND `password_hash` IS NULL);--> statement-breakpoint
UPDATE `terms` SET `hidden` = false WHERE `hidden` AND `id` IN (
  WITH RECURSIVE `above`(`id`) AS (SELECT `parent_id` FROM `terms` WHERE NOT `hidden`
    UNION SELECT `parent_id` FROM `terms` JOIN `above` USING (`id`)) SELECT `id` FROM `above`);--> statement-breakpoint
CREATE INDEX `media_author` ON `media` (`author_id`);
