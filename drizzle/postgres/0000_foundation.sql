CREATE SCHEMA "almanac";
--> statement-breakpoint
CREATE TABLE "almanac"."application_passwords" (
	"id" bigint PRIMARY KEY NOT NULL,
	"user_id" bigint NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"created_utc" text NOT NULL,
	"last_used_utc" text
);
--> statement-breakpoint
CREATE TABLE "almanac"."changes" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"record_id" bigint NOT NULL,
	"operation" text NOT NULL,
	"at_utc" text NOT NULL,
	"by" bigint,
	"was_status" text,
	"was_author" bigint,
	"was_language" text,
	"was_hidden" boolean,
	"touched" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."events" (
	"post_id" bigint PRIMARY KEY NOT NULL,
	"start_date" text NOT NULL,
	"end_date" text NOT NULL,
	"utc_start_date" text NOT NULL,
	"utc_end_date" text NOT NULL,
	"timezone" text NOT NULL,
	"all_day" boolean NOT NULL,
	"cost" json NOT NULL,
	"website" text NOT NULL,
	"show_map" boolean NOT NULL,
	"show_map_link" boolean NOT NULL,
	"hide_from_listings" boolean NOT NULL,
	"sticky" boolean NOT NULL,
	"featured" boolean NOT NULL,
	"ticketed" boolean NOT NULL,
	"event_status" text NOT NULL,
	"attendance_mode" text NOT NULL,
	"virtual_url" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."files" (
	"name" text PRIMARY KEY NOT NULL,
	"bytes" "bytea" NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."head" (
	"id" bigint PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"commit_id" uuid NOT NULL,
	"origin" uuid NOT NULL,
	"version" bigint NOT NULL,
	"counters" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."leases" (
	"name" text PRIMARY KEY NOT NULL,
	"node" uuid NOT NULL,
	"until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."links" (
	"event_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"target_id" bigint NOT NULL,
	"position" bigint NOT NULL,
	CONSTRAINT "links_event_id_kind_target_id_pk" PRIMARY KEY("event_id","kind","target_id")
);
--> statement-breakpoint
CREATE TABLE "almanac"."log" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"commit_id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"node" text NOT NULL,
	"rows" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."marks" (
	"id" bigint PRIMARY KEY NOT NULL,
	"mark" text NOT NULL,
	"record_id" bigint
);
--> statement-breakpoint
CREATE TABLE "almanac"."media" (
	"id" bigint PRIMARY KEY NOT NULL,
	"author_id" bigint NOT NULL,
	"file" text NOT NULL,
	"mime_type" text NOT NULL,
	"extension" text NOT NULL,
	"width" bigint NOT NULL,
	"height" bigint NOT NULL,
	"filesize" bigint NOT NULL,
	"sizes" json NOT NULL,
	"origin_url" text,
	"date_utc" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."nodes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"address" text NOT NULL,
	"version" text NOT NULL,
	"started" timestamp with time zone NOT NULL,
	"seen" timestamp with time zone NOT NULL,
	"seq" bigint NOT NULL,
	"state" text NOT NULL,
	"lag" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."organizers" (
	"post_id" bigint PRIMARY KEY NOT NULL,
	"phone" text NOT NULL,
	"website" text NOT NULL,
	"email" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."posts" (
	"id" bigint PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"title" text NOT NULL,
	"slug" text NOT NULL,
	"description" text NOT NULL,
	"excerpt" text NOT NULL,
	"author_id" bigint NOT NULL,
	"language" text NOT NULL,
	"translation_group" bigint,
	"image_id" bigint,
	"parent_id" bigint,
	"date" text NOT NULL,
	"date_utc" text NOT NULL,
	"modified" text NOT NULL,
	"modified_utc" text NOT NULL,
	"password_hash" text,
	"folded" text NOT NULL,
	"folded_title" text NOT NULL,
	"untrashed_slug" text
);
--> statement-breakpoint
CREATE TABLE "almanac"."settings" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."site" (
	"id" bigint PRIMARY KEY NOT NULL,
	"timezone" text NOT NULL,
	"languages" json NOT NULL,
	"currency" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."terms" (
	"id" bigint PRIMARY KEY NOT NULL,
	"taxonomy" text NOT NULL,
	"name" text NOT NULL,
	"folded_name" text NOT NULL,
	"slug" text NOT NULL,
	"description" text NOT NULL,
	"parent_id" bigint NOT NULL,
	"language" text NOT NULL,
	"translation_group" bigint,
	"count" bigint NOT NULL,
	"modified_utc" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."tokens" (
	"id" bigint PRIMARY KEY NOT NULL,
	"user_id" bigint NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"scopes" json NOT NULL,
	"expires_utc" text,
	"created_utc" text NOT NULL,
	"last_used_utc" text
);
--> statement-breakpoint
CREATE TABLE "almanac"."users" (
	"id" bigint PRIMARY KEY NOT NULL,
	"login" text NOT NULL,
	"role" text NOT NULL,
	"disabled" boolean NOT NULL,
	"created_utc" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."venues" (
	"post_id" bigint PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"city" text NOT NULL,
	"country" text NOT NULL,
	"province" text NOT NULL,
	"state" text NOT NULL,
	"zip" text NOT NULL,
	"phone" text NOT NULL,
	"stateprovince" text NOT NULL,
	"website" text NOT NULL,
	"show_map" boolean NOT NULL,
	"show_map_link" boolean NOT NULL,
	"geo_lat" double precision,
	"geo_lng" double precision
);
--> statement-breakpoint
CREATE TABLE "almanac"."webhook_deliveries" (
	"id" bigint PRIMARY KEY NOT NULL,
	"webhook_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"record_id" bigint NOT NULL,
	"operation" text NOT NULL,
	"seq" bigint NOT NULL,
	"at_utc" text NOT NULL,
	"status" text NOT NULL,
	"attempts" bigint NOT NULL,
	"created_utc" text NOT NULL,
	"first_utc" text,
	"tried_utc" text,
	"next_utc" text,
	"response_code" bigint,
	"response_text" text,
	"error" text,
	"duration" bigint
);
--> statement-breakpoint
CREATE TABLE "almanac"."webhooks" (
	"id" bigint PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"description" text NOT NULL,
	"kinds" json NOT NULL,
	"operations" json NOT NULL,
	"filters" json NOT NULL,
	"interest" json NOT NULL,
	"enabled" boolean NOT NULL,
	"disabled_reason" text,
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_until_utc" text,
	"position" bigint NOT NULL,
	"created_utc" text NOT NULL,
	"last_success_utc" text,
	"tried_utc" text,
	"failing_since_utc" text,
	"gap_utc" text
);
