CREATE TABLE "almanac"."externals" (
	"post_id" bigint PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"source" text NOT NULL,
	"external_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."kept_answers" (
	"id" bigint PRIMARY KEY NOT NULL,
	"user_id" bigint NOT NULL,
	"route" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"request" text NOT NULL,
	"at_utc" text NOT NULL,
	"status" bigint,
	"headers" json,
	"body" text
);
