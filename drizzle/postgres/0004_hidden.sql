ALTER TABLE "almanac"."posts" ADD COLUMN "untrashed_status" text;--> statement-breakpoint
UPDATE "almanac"."posts" SET "untrashed_status" = "trashed"."was_status"
  FROM (SELECT DISTINCT ON ("record_id") "record_id", "was_status" FROM "almanac"."changes"
    WHERE "operation" = 'trash' ORDER BY "record_id", "seq" DESC) AS "trashed"
  WHERE "trashed"."record_id" = "posts"."id" AND "posts"."status" = 'trash';--> statement-breakpoint
ALTER TABLE "almanac"."terms" ADD COLUMN "hidden" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "almanac"."terms" ALTER COLUMN "hidden" DROP DEFAULT;--> statement-breakpoint
UPDATE "almanac"."terms" SET "hidden" = true
  WHERE EXISTS (SELECT 1 FROM "almanac"."links" WHERE "kind" = "taxonomy" AND "target_id" = "terms"."id")
  AND NOT EXISTS (SELECT 1 FROM "almanac"."links" JOIN "almanac"."posts" ON "posts"."id" = "event_id"
    WHERE "links"."kind" = "taxonomy" AND "target_id" = "terms"."id" AND "status" = 'publish' AND "password_hash" IS NULL);--> statement-breakpoint
UPDATE "almanac"."terms" SET "hidden" = false WHERE "hidden" AND "id" IN (
  WITH RECURSIVE "above"("id") AS (SELECT "parent_id" FROM "almanac"."terms" WHERE NOT "hidden"
    UNION SELECT "parent_id" FROM "almanac"."terms" JOIN "above" USING ("id")) SELECT "id" FROM "above");
