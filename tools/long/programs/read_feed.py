"""Reads a feed by python3-feedparser, and prints its head and its entries as JSON."""
import json
import sys

import feedparser

feed = feedparser.parse(sys.stdin.buffer.read())


def entry(item):
    return {
        "id": item.get("id", ""),
        "title": item.get("title", ""),
        "link": item.get("link", ""),
        "published": list(item["published_parsed"][:6]) if item.get("published_parsed") else [],
        "categories": [tag.get("label") or tag["term"] for tag in item.get("tags", [])],
        "start": item.get("ev_startdate", ""),
        "end": item.get("ev_enddate", ""),
        "enclosures": [each["href"] for each in item.get("enclosures", [])],
    }


json.dump(
    {
        "fault": str(feed["bozo_exception"]) if feed.bozo else "",
        "version": feed.version,
        "title": feed.feed.get("title", ""),
        "entries": [entry(item) for item in feed.entries],
    },
    sys.stdout,
)
