ALTER TABLE `tokens` ADD `password_id` integer REFERENCES application_passwords(id) ON DELETE cascade;--> statement-breakpoint
CREATE INDEX `tokens_password` ON `tokens` (`password_id`);--> statement-breakpoint
ALTER TABLE `webhooks` ADD `owner_id` integer REFERENCES users(id) ON DELETE set null;--> statement-breakpoint
DELETE FROM `tokens` WHERE `name` = 'Session' AND `expires_utc` = datetime(`created_utc`, '+12 hours');--> statement-breakpoint
UPDATE `webhooks` SET `enabled` = 0, `disabled_reason` = 'It tells what only administrators see, and has no owner yet: it was added before owners were noted. An administrator who enables it becomes its owner, and it goes on where it stopped.' WHERE `enabled` = 1 AND json_extract(`filters`, '$.status') IS NOT NULL;