CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at_utc` text NOT NULL,
	`code` text NOT NULL,
	`origin` text NOT NULL,
	`address` text NOT NULL,
	`user_id` integer,
	`login` text,
	`credential` text,
	`subject_kind` text,
	`subject_id` integer,
	`details` text NOT NULL,
	`count` integer DEFAULT 1 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_code` ON `audit` (`code`,`id`);--> statement-breakpoint
CREATE INDEX `audit_user` ON `audit` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_subject` ON `audit` (`subject_kind`,`subject_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_time` ON `audit` (`at_utc`,`id`);--> statement-breakpoint
CREATE TABLE `audit_gate` (
	`id` integer PRIMARY KEY NOT NULL
);

--> statement-breakpoint
-- The log is only ever added to. Retention and a copy that follows open the gate within their transaction.
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit WHEN NOT EXISTS (SELECT 1 FROM audit_gate) BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit WHEN NOT EXISTS (SELECT 1 FROM audit_gate) BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
--> statement-breakpoint
-- REPLACE deletes rows without a trigger.
CREATE TRIGGER audit_no_replace BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE id = new.id) AND NOT EXISTS (SELECT 1 FROM audit_gate) BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
