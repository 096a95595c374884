ALTER TABLE `listings` ADD `protected` integer DEFAULT false NOT NULL;
--> statement-breakpoint
UPDATE `listings` SET `protected` = true WHERE `event_id` IN (SELECT `id` FROM `posts` WHERE `password_hash` IS NOT NULL);
