CREATE TABLE "almanac"."digests" (
	"id" bigint PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"folded" text NOT NULL,
	"confirmed_utc" text,
	"language" text NOT NULL,
	"every" text NOT NULL,
	"filters" json NOT NULL,
	"proposed" json,
	"expires_utc" text,
	"created_utc" text NOT NULL,
	"told_utc" text NOT NULL,
	"failures" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "almanac"."mails" ADD COLUMN "html" text;--> statement-breakpoint
ALTER TABLE "almanac"."mails" ADD COLUMN "headers" json;--> statement-breakpoint
ALTER TABLE "almanac"."mails" ADD COLUMN "topic" text;