CREATE TABLE "almanac"."mails" (
	"id" bigint PRIMARY KEY NOT NULL,
	"recipient" text NOT NULL,
	"subject" text NOT NULL,
	"text" text NOT NULL,
	"created_utc" text NOT NULL,
	"tries" bigint NOT NULL,
	"next_utc" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."sign_ins" (
	"id" bigint PRIMARY KEY NOT NULL,
	"user_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"secret" text,
	"external" text,
	"counter" bigint NOT NULL,
	"created_utc" text NOT NULL,
	"last_used_utc" text
);
--> statement-breakpoint
CREATE TABLE "almanac"."submissions" (
	"id" bigint PRIMARY KEY NOT NULL,
	"event_id" bigint NOT NULL,
	"state" text NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"language" text NOT NULL,
	"note" text NOT NULL,
	"reply" text NOT NULL,
	"hash" text,
	"created_utc" text NOT NULL,
	"decided_utc" text,
	"decided_by" bigint
);
--> statement-breakpoint
CREATE TABLE "almanac"."tickets" (
	"id" bigint PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"user_id" bigint,
	"hash" text NOT NULL,
	"data" json,
	"expires_utc" text NOT NULL,
	"created_utc" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "almanac"."tokens" ADD COLUMN "sign_in_id" bigint;--> statement-breakpoint
ALTER TABLE "almanac"."tokens" ADD COLUMN "limits" json;--> statement-breakpoint
ALTER TABLE "almanac"."users" ADD COLUMN "name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "almanac"."users" ALTER COLUMN "name" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "almanac"."users" ADD COLUMN "email" text;--> statement-breakpoint
ALTER TABLE "almanac"."users" ADD COLUMN "limits" json;