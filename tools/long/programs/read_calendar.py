"""Reads a calendar by python3-icalendar, and prints its events as JSON. Times are in UTC, twice: by the name of their zone, and by its VTIMEZONE."""
import datetime
import json
import sys

from icalendar import Calendar

calendar = Calendar.from_ical(sys.stdin.buffer.read())
zones = {str(zone["TZID"]): zone.to_tz() for zone in calendar.walk("VTIMEZONE")}


def times(prop):
    if not isinstance(prop.dt, datetime.datetime):
        return [prop.dt.isoformat()]
    utc = lambda at: at.astimezone(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    zone = prop.params.get("TZID")
    described = zones[zone].localize(prop.dt.replace(tzinfo=None)) if zone else prop.dt
    return [utc(prop.dt), utc(described)]


def event(component):
    text = lambda name: str(component[name]) if name in component else ""
    categories = component.get("CATEGORIES")
    return {
        "uid": text("UID"),
        "title": text("SUMMARY"),
        "description": text("DESCRIPTION"),
        "location": text("LOCATION"),
        "url": text("URL"),
        "status": text("STATUS"),
        "categories": [str(name) for name in categories.cats] if categories else [],
        "start": times(component["DTSTART"]),
        "end": times(component["DTEND"]) if "DTEND" in component else [],
    }


json.dump({"name": str(calendar["X-WR-CALNAME"]), "events": [event(e) for e in calendar.walk("VEVENT")]}, sys.stdout)
