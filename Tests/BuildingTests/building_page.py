# SPDX-License-Identifier: Apache-2.0
"""Uses the page of the example Building in headless Chromium. The arguments and the output are those of browser.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "LanyardCLITests/Live"))

from browser import main, report  # noqa: E402

# The texts of the gateways in the list, and the places of the devices on the plan.
GATEWAYS = "rowsOf.map(row => row.gateway.textContent)"
PLACES = "deviceMarks.map(mark => mark.body.getAttribute('transform'))"
# The number of pairs of people's names on the plan that overlap.
OVERLAPS = (
    "(() => { const boxes = deviceMarks.filter((_, number) => devices[number].walks)"
    ".map(mark => mark.name.getBoundingClientRect());"
    " return boxes.flatMap((one, index) => boxes.slice(index + 1).filter(other => one.left < other.right"
    " && other.left < one.right && one.top < other.bottom && other.top < one.bottom)).length; })()"
)
# The number of people's names that are partly outside of the plan.
OUTSIDE = (
    "(() => { const box = plan.getBoundingClientRect(); return deviceMarks.filter((_, number) => devices[number].walks)"
    ".map(mark => mark.name.getBoundingClientRect()).filter(name => name.left < box.left || name.right > box.right"
    " || name.top < box.top || name.bottom > box.bottom).length; })()"
)


def at(browser, seconds, script):
    return browser.run(f"(seek({seconds}), {script})")


def pause(browser, milliseconds):
    browser.run(f"new Promise(done => setTimeout(() => done(true), {milliseconds}))")


def walk(browser, folder):
    report("opened", gatewayCount=browser.run("plan.querySelectorAll('.gateway').length"),
           deviceCount=browser.run("plan.querySelectorAll('.device').length"),
           checks=browser.run("document.querySelectorAll('#checks li').length"),
           beyond=browser.run("document.querySelectorAll('#checks .beyond').length"),
           requests=browser.run("performance.getEntriesByType('resource').length"))

    length = browser.run("data.seconds")
    first, last = at(browser, 0, PLACES), at(browser, length, PLACES)
    walks = browser.run("devices.map(device => device.walks)")
    report("moved", walked=[a != b for a, b, is_walker in zip(first, last, walks) if is_walker],
           still=[a == b for a, b, is_walker in zip(first, last, walks) if not is_walker])

    times = [length * step / 60 for step in range(60)]
    shown = [at(browser, time, GATEWAYS) for time in times]
    overlaps = [at(browser, time, OVERLAPS) for time in times]
    outside = [at(browser, time, OUTSIDE) for time in times]
    report("gateways", different=[len(set(column) - {"none"}) for column in zip(*shown)],
           overlaps=sum(count > 0 for count in overlaps), outside=sum(outside), times=len(times))

    outages = browser.run("outages")
    lost, back = [], []
    for outage in outages:
        mark = f"gatewayMarks[{outage['gateway']}]"
        state = f"{mark}.classList.contains('lost') && {mark}.querySelector('.trouble').textContent.startsWith('no ')"
        lost.append([at(browser, outage["from"] - 1, state), at(browser, outage["from"] + 1, state),
                     at(browser, outage["to"] + 1, state)])
        name = browser.run(f"rooms[{outage['gateway']}].name")
        before, after = (at(browser, time, GATEWAYS) for time in (outage["from"] - .5, outage["from"] + 20))
        back.append([now for then, now in zip(before, after) if then == name])
    report("lost", names=[browser.run(f"rooms[{outage['gateway']}].name") for outage in outages], isLost=lost, back=back)

    # A time within the first outage, with a chosen person.
    at(browser, outages[0]["from"] + 5, "true")
    browser.click("rowsOf[1].row")
    report("chosen", rows=browser.run("document.querySelectorAll('tr[aria-selected=true]').length"),
           ways=browser.run("layers.ways.querySelectorAll('.way').length"))
    for theme in ["light", "dark"]:
        browser.size(1400, 1000, theme)
        pause(browser, 300)
        browser.picture(f"{folder}/building-1400-{theme}.png")

    browser.run("element('time').focus()")
    before = browser.run("view.time")
    browser.key("ArrowUp")
    stepped = browser.run("view.time") - before
    browser.click("element('play')")
    browser.wait(f"view.time > {before} + 3", "time that passes")
    browser.click("element('play')")
    stopped = browser.run("view.time")
    pause(browser, 300)
    report("player", stepped=stepped, playing=stopped - before, stays=browser.run("view.time") == stopped)

    lanes = browser.place("lanes.querySelector('.stay')")
    browser.mouse("mousePressed", *lanes, button="left", buttons=1, clickCount=1)
    browser.mouse("mouseReleased", *lanes, button="left", clickCount=1)
    report("sought", off=abs(browser.run(
        "(box => toLeft(view.time) - (box.x.baseVal.value + box.width.baseVal.value / 2))"
        "(lanes.querySelector('.stay'))")))

    browser.size(390, 1400, "light")
    pause(browser, 300)
    browser.picture(f"{folder}/building-390.png")
    report("narrow", overflow=browser.run("document.documentElement.scrollWidth - innerWidth"))
    report("end", errors=browser.errors)


if __name__ == "__main__":
    main({"walk": walk})
