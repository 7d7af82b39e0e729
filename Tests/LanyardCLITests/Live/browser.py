# SPDX-License-Identifier: Apache-2.0
"""Uses the pages of lanyard in headless Chromium as a person does: with the mouse and the keyboard.

    browser.py CHROMIUM ADDRESS walk|load|timeline FOLDER

Prints one JSON object for each step. `walk` chooses a device on the live page, connects, reads, subscribes,
drags the accessory out of range and back, and writes to another one. `load` measures the processor time of
the frames that the live page draws, and `timeline` that of the frames of a moved timeline. Screenshots go to FOLDER.
"""

import base64
import contextlib
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from websockets.sync.client import connect

STEP_SECONDS = 60
KEYS = {"Enter": 13, "ArrowUp": 38, "ArrowDown": 40, "Home": 36}


class Browser:
    def __init__(self, chromium, open):
        """Starts a browser, which ends when the exit stack `open` is closed."""
        profile = Path(open.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        process = subprocess.Popen(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
             f"--user-data-dir={profile}", "--window-size=1400,900", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        open.callback(lambda: (process.kill(), process.wait()))
        port_file = profile / "DevToolsActivePort"
        wait(lambda: port_file.exists() and len(port_file.read_text().split()) == 2, "start of the browser")
        port = port_file.read_text().split()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
            page = next(target for target in json.load(answer) if target["type"] == "page")
        self.socket = open.enter_context(connect(page["webSocketDebuggerUrl"], max_size=None))
        self.number, self.clicks, self.errors = 0, 0, []
        for domain in ["Runtime", "Page", "Log"]:
            self.call(f"{domain}.enable")
        self.call("Performance.enable", timeDomain="threadTicks")

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(timeout=STEP_SECONDS))
            if message.get("method") == "Runtime.exceptionThrown":
                details = message["params"]["exceptionDetails"]
                self.errors.append(details.get("exception", {}).get("description", details["text"]))
            if message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
                self.errors.append(message["params"]["entry"]["text"])
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def processor_seconds(self):
        """Returns the processor time of the main thread's tasks so far."""
        metrics = self.call("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    def wait(self, script, what, seconds=STEP_SECONDS):
        wait(lambda: self.run(f"Boolean({script})"), f"{what} ({script})", seconds)

    def size(self, width, height, theme="light"):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def place(self, element):
        """Scrolls to an element, given as an expression. Returns the element's middle."""
        return self.run(
            f"(() => {{ const found = {element}; found.scrollIntoView({{ block: 'center' }});"
            " const box = found.getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )

    def click(self, element):
        # The list of devices keeps its order while the mouse is over it.
        self.mouse("mouseMoved", *self.place(element))
        x, y = self.place(element)
        for kind in ["mousePressed", "mouseReleased"]:
            self.mouse(kind, x, y, button="left", clickCount=1)
        self.clicks += 1

    def drag(self, element, to):
        x, y = self.place(element)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        for step in range(1, 13):
            part = step / 12
            self.mouse("mouseMoved", x + (to[0] - x) * part, y + (to[1] - y) * part, button="left", buttons=1)
        self.mouse("mouseReleased", *to, button="left", clickCount=1)

    def key(self, key):
        for kind in ["keyDown", "keyUp"]:
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=KEYS[key])

    def type(self, text):
        self.call("Input.insertText", text=text)

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        Path(path).write_bytes(base64.b64decode(data))


def wait(condition, what, seconds=STEP_SECONDS):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.05)
    raise TimeoutError(f"no {what} within {seconds} s")


def report(step, **members):
    print(json.dumps({"step": step, **members}), flush=True)


def row(name):
    return f"[...document.querySelectorAll('.device')].find(row => !row.hidden && row.textContent.includes('{name}'))"


def part(name):
    return (f"[...document.querySelectorAll('.characteristic')].find(entry => "
            f"entry.querySelector('.key').textContent.startsWith('{name}'))")


def act(name, text):
    return f"[...{part(name)}.querySelectorAll('button')].find(entry => entry.textContent === '{text}')"


def pin(name):
    return f"[...document.querySelectorAll('.pin')].find(entry => entry.textContent.startsWith('{name}'))"


STATE = "selected.link.state"
LABELS = "[...document.querySelectorAll('.pin span')].filter(label => label.offsetWidth)"
# The names on the labels that overlap with other labels.
HIDDEN_LABELS = (
    f"(() => {{ const labels = {LABELS}, boxes = labels.map(label => label.getBoundingClientRect());"
    " return labels.filter((label, one) => boxes.some((box, other) => other !== one && box.left < boxes[one].right"
    " && boxes[one].left < box.right && box.top < boxes[one].bottom && boxes[one].top < box.bottom))"
    ".map(label => label.textContent); })()"
)


def logged(text):
    """Returns an expression that is true if the search on the timeline finds a packet."""
    return (
        "(() => { const page = element('frame').contentDocument, query = page.getElementById('query');"
        f" if (query.value !== '{text}') {{ query.value = '{text}'; query.dispatchEvent(new Event('input')); }}"
        f" return [...page.querySelectorAll('.row.packet .text')].some(row => row.textContent.includes('{text}')); }})()"
    )


def walk(browser, folder):
    browser.wait(f"devices.size >= 7 && {row('Thermometer')} !== undefined", "list of devices")
    report("scanned", devices=browser.run("devices.size"), first=browser.run("listed[0].rssi !== null"))

    browser.click(row("Thermometer"))
    browser.wait("document.querySelector('#connect')", "button to connect")
    browser.click("document.querySelector('#connect')")
    browser.wait(f"{part('Temperature')}?.querySelector('.value').textContent.includes('°C')", "first value")
    report("first value", clicks=browser.clicks, value=browser.run(f"{part('Temperature')}.querySelector('.value').textContent"))

    browser.click(act("Temperature", "Read"))
    browser.wait(logged("ATT_READ_REQ"), "packet on the timeline")
    report("read", packet=browser.run(logged("ATT_READ_REQ")))
    browser.run(logged(""))

    browser.click(act("Temperature", "Subscribe"))
    browser.wait(f"{part('Temperature')}?.querySelector('canvas.chart')", "chart")
    points = "[...selected.series.values()].map(series => [...series.values()][0].points.length).reduce((a, b) => Math.max(a, b), 0)"
    before = browser.run(points)
    chart = f"{part('Temperature')}.querySelector('canvas.chart').toDataURL()"
    picture = browser.run(chart)
    browser.wait(f"{points} > {before}", "another value")
    browser.wait(f"{chart} !== '{picture}'", "movement of the chart")
    report("chart", points=browser.run(points), says_off=browser.run(
        f"{part('Temperature')}.textContent.includes('Configuration: off')"))
    browser.picture(f"{folder}/live-1400-light.png")

    ground = browser.run("(() => { const box = ground.getBoundingClientRect(); return [box.x, box.y, box.width, box.height]; })()")
    icon = pin("Thermometer") + ".querySelector('i')"
    back = browser.place(icon)
    browser.drag(icon, (ground[0] + 6, ground[1] + ground[3] / 2))
    meters = f"Number({pin('Thermometer')}.textContent.match(/(\\d+(?:\\.\\d+)?) m/)[1])"
    browser.wait(f"{meters} > 1000", "place on the map")
    report("moved", meters=browser.run(meters))
    browser.wait(f"{STATE} === 'lost'", "loss of the link")
    report("lost", reason=browser.run("selected.link.reason"))
    browser.picture(f"{folder}/live-1400-lost.png")
    browser.drag(icon, back)
    browser.wait(f"{STATE} === 'connected'", "return of the link", 90)
    after = browser.run(points)
    browser.wait(f"{points} > {after}", "values after the return")
    report("back", points=browser.run(points))

    browser.click(row("Battery Lamp"))
    browser.wait("document.querySelector('#connect')", "button to connect")
    browser.click("document.querySelector('#connect')")
    browser.wait("!selected.isBusy && document.querySelector('.writer input')", "field for a value")
    browser.click("document.querySelector('.writer input')")
    browser.type("01")
    browser.key("Enter")
    browser.wait("element('toasts').textContent.includes('Wrote 1 byte')", "written value")
    browser.wait("[...document.querySelectorAll('.characteristic')].some(entry => entry.querySelector('.writer')"
                 " && entry.querySelector('.value').textContent === '01')", "read value")
    report("written", value="01")

    browser.click("document.querySelector('#disconnect')")
    browser.wait(f"{STATE} === 'idle'", "end of the link")
    browser.run("element('list').focus()")
    chosen = {}
    for name, key in [("first", "Home"), ("second", "ArrowDown"), ("back", "ArrowUp")]:
        browser.key(key)
        chosen[name] = browser.run("selected.key")
    report("keyboard", **chosen)

    # The page missed the end of a link. A new event stream gives it the current state.
    browser.run("deviceOf('C0:00:00:00:00:01/random').link = { state: 'connected', reason: null, subscriptions: [] };"
                " new Promise(done => { const again = new EventSource('events');"
                " again.onmessage = event => { again.close(); arrived(JSON.parse(event.data)); done(true); }; })")
    report("reset", ended=browser.run("deviceOf('C0:00:00:00:00:01/random').link.state"),
           open=browser.run("[...devices.values()].find(device => device.name === 'Thermometer').link.state"))

    browser.size(1400, 900, "dark")
    browser.click(row("Thermometer"))
    report("map", chosen=browser.run("[...document.querySelectorAll('.pin.chosen span')].map(pin => pin.textContent)"),
           labels=browser.run(f"{LABELS}.length"), hidden=browser.run(HIDDEN_LABELS))
    browser.picture(f"{folder}/live-1400-dark.png")

    # The mouse is over the list.
    last = "listed[listed.length - 1].key"
    weakest = browser.run("sortList(true); " + last)
    strengthen = f"deviceOf('{weakest}').rssi = 20; sortedAt = -Infinity; sortList(); "
    pointed = browser.run(strengthen + last)
    browser.mouse("mouseMoved", 700, 300)
    report("order", weakest=weakest, pointed=pointed, first=browser.run(strengthen + "listed[0].key"))
    overflow = []
    for tab in ["devices", "device", "map", "timeline"]:
        browser.size(390, 844, "light")
        browser.run(f"document.body.dataset.tab = '{tab}'; showTabs(); repaint()")
        browser.run("new Promise(done => setTimeout(done, 400))")
        browser.picture(f"{folder}/live-390-{tab}.png")
        overflow.append(browser.run("document.documentElement.scrollWidth - innerWidth"))
    report("narrow", overflow=overflow)
    report("end", errors=browser.errors)


FRAMES = 150


def cost(browser, work, count=FRAMES):
    """Returns the milliseconds of processor time that the page's main thread takes for a frame, on average.
    `work` runs in each frame, and `number` is the number of the frame.

    The time that the machine gives to other programs does not count, so the figure is what the page needs, and a page
    that needs at most 1/30 s can draw 30 frames a second."""
    before = browser.processor_seconds()
    browser.run(
        "new Promise(done => { let number = 0; const tick = () => {"
        f" if (number === {count}) return done(true);"
        f" {work}; number += 1; requestAnimationFrame(tick); }}; requestAnimationFrame(tick); }})"
    )
    return (browser.processor_seconds() - before) / count * 1000


def load(browser, folder):
    browser.wait("devices.size >= 200", "200 devices")
    count = "[...devices.values()].reduce((sum, device) => sum + device.reports, 0)"
    browser.run("window.updates = []; feed.addEventListener('message', event => updates.push(event.data)); true")
    start, before = time.monotonic(), browser.run(count)
    browser.wait("updates.length >= 30", "30 updates of the program")
    reports = (browser.run(count) - before) / (time.monotonic() - start)
    report("received", updates=browser.run("updates.length"), reportsPerSecond=reports)
    # From here on, updates arrive with the frames: ten of them for 30 frames, whatever time the frames take. The radio
    # loses many reports of 200 devices to collisions, so a report of each device follows each update.
    browser.run("feed.close(); window.sent = 0; true")
    work = (
        "if (number % 3 === 0) { arrived(JSON.parse(updates[number / 3 % updates.length]));"
        " arrived({ signals: [...byNumber].map(([number, device]) =>"
        " [number, Math.round(-50 - 30 * Math.random()), device.reports + 1]) }); sent += byNumber.size; }"
        " sortList(true); drawList(); drawPlots()"
    )
    milliseconds = cost(browser, work)
    report("frames", devices=browser.run("devices.size"), reports=browser.run("sent"),
           millisecondsPerFrame=milliseconds, errors=browser.errors)
    browser.picture(f"{folder}/live-200.png")


def timeline(browser, folder):
    report("opened", events=browser.run("events.length"))
    work = "if (number % 40 < 20) zoom(.9); else zoom(1 / .9); pan((view.to - view.from) / 60)"
    report("frames", millisecondsPerFrame=cost(browser, work))
    browser.run("showAll(); select(events.find(event => event.text.startsWith('ATT_READ_REQ')))")
    report("packet", bytes=browser.run("document.querySelector('.bytes').textContent"),
           fields=browser.run("[...document.querySelectorAll('.fields ul li')].map(entry => entry.textContent)"),
           partner=browser.run("document.querySelector('button.link').textContent"),
           relation=browser.run("document.querySelector('button.link').parentElement.previousElementSibling.textContent"))
    browser.run("toggleMark(); document.querySelector('button.link').click()")
    report("ruler", text=browser.run("[...document.querySelectorAll('#detail dt')].map(entry => entry.textContent)"
                                     ".find(text => text.includes('the mark'))"))
    browser.picture(f"{folder}/timeline-1400.png")
    # A live page that reconnects gets a reset, here with earlier times than those that it shows.
    browser.run("follow({ reset: true, devices: data.devices, leftOut: 0, events: [0, 1, 2].map(number =>"
                " [5000 + 1000 * number, 0, PACKET, 'ATT_READ_REQ #3', '', true, 0, '']) })")
    report("reset", times=browser.run("events.map(event => event.time - 5000)"))
    report("end", errors=browser.errors)


def main(walks):
    chromium, address, kind, folder = sys.argv[1:]
    with contextlib.ExitStack() as open:
        browser = Browser(chromium, open)
        try:
            browser.size(1400, 900)
            browser.call("Page.navigate", url=address)
            browser.wait("document.readyState === 'complete' && typeof element !== 'undefined'", "page")
            walks[kind](browser, folder)
        except Exception as error:
            report("failed", error=f"{type(error).__name__}: {error}", errors=browser.errors)
            browser.picture(f"{folder}/failed.png")
            sys.exit(1)


if __name__ == "__main__":
    main({"walk": walk, "load": load, "timeline": timeline})
