// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import ProcessTestSupport
import Testing

private let database = """
    { "name": "inside-adapter", "services": [{ "uuid": "FFF0", "characteristics": [] }] }
    """

/// A script that copies the file descriptor with which another process holds an adapter. A child of
/// that process would have such a copy for a moment while it is being started. The script closes
/// its copy once the other process has closed its own descriptor and waits in `poll`.
private let holder = """
    import ctypes, os, socket, sys
    GET_FILE, POLL = 438, "7"
    WAIT = ["0x1", "0xc8"]  # For one descriptor, and 200 ms.
    process = int(sys.argv[1])
    handle = os.pidfd_open(process)
    copies = {}
    for number in map(int, os.listdir(f"/proc/{process}/fd")):
        if not os.readlink(f"/proc/{process}/fd/{number}").startswith("socket:"): continue
        copy = ctypes.CDLL(None).syscall(GET_FILE, handle, number, 0)
        with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI, copy) as it:
            try:
                if it.getsockname() == 0: copies[number] = os.dup(copy)
            except OSError: pass  # Bound to no adapter.
    print("holding", len(copies), flush=True)
    def has_closed():
        return not all(os.path.exists(f"/proc/{process}/fd/{number}") for number in copies)
    def is_waiting(thread):
        try:
            call = open(f"/proc/{process}/task/{thread}/syscall").read().split()
        except OSError: return False
        return call[0] == POLL and call[2:4] == WAIT
    try:
        while not (has_closed() and any(map(is_waiting, os.listdir(f"/proc/{process}/task")))): pass
        said = "waited for"
    except OSError: said = "it did not wait"
    for copy in copies.values(): os.close(copy)
    print(said, flush=True)
    """

/// Taking, refusing and returning adapters.
@Suite(.machines) struct InsideAdapterTests {
    @Test("The list shows which process uses which adapter", arguments: Setting.latestOnly)
    func list(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .peripheral, "inside: adapters") { bluez in
            try await bluez.powerOn()
            let program = try await InsideProgram(in: bluez)
            let free = try await program.succeed(["adapters", "--probe"])
            let lines = free.output.split(separator: "\n")
            // A user without root may see the processes, and therefore that bluetoothd uses the
            // adapter.
            #expect(lines.contains { $0.hasPrefix("hci0") && $0.contains("used by bluetoothd") })
            #expect(lines.contains { $0.hasPrefix("hci1") && $0.hasSuffix("free") })
            #expect(lines.contains { $0.contains("controller:") && $0.contains("Bluetooth ") })
            try await start(program)
            // Only root may see which process has the adapter: other users cannot inspect a process
            // that has a capability.
            for (user, holders) in [(InsideProgram.User.nobody, []), (.root, ["lanyard"])] {
                let taken = try await program.succeed(["adapters", "--json"], as: user)
                let second = try #require(try taken.json["adapters"].elements.last)
                #expect(second["state"].text == "taken" && second["mayBeTaken"] == .boolean(false))
                #expect(second["holders"].elements.map { $0["name"].text } == holders)
            }
            try await program.interrupt("accessory")
        }
    }

    // MARK: Refusals

    @Test(
        "The program names a missing capability and the command that grants it",
        arguments: Setting.eachRelease
    )
    func notPermitted(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .peripheral, "inside: no capability") { bluez in
            let program = try await InsideProgram(in: bluez)
            try await program.setCapability(false)
            let run = try await program.run(["explore", "x", "--adapter", "hci1", "--no-store"])
            #expect(run.status == 69 && run.output.isEmpty)
            #expect(run.remarks.contains("CAP_NET_ADMIN"))
            #expect(run.remarks.contains("setcap cap_net_admin+ep /run/lanyard/lanyard"))
            let doctor = try await program.run(["doctor", "--adapter", "hci1", "--no-store"])
            #expect(doctor.status == 78)
            #expect(doctor.output.contains("! permission: this program may not take adapters"))
            // A service receives the capability although its file has none.
            let service = try await program.succeed(["adapters", "--probe"], as: .service)
            #expect(service.output.contains("controller: "))
        }
    }

    @Test(
        "The program reports that the adapter is in use and names the process to root",
        arguments: Setting.eachRelease
    )
    func inUse(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .peripheral, "inside: in use") { bluez in
            let program = try await InsideProgram(in: bluez)
            try await start(program)
            let run = try await program.run(["explore", "x", "--adapter", "hci1", "--no-store"])
            #expect(run.status == 69)
            #expect(
                run.remarks.contains("hci1: in use by another program; 'sudo lanyard adapters'")
            )
            let arguments = ["explore", "x", "--adapter", "hci1", "--no-store"]
            let root = try await program.run(arguments, as: .root)
            #expect(root.remarks.contains("hci1: in use by lanyard (process "))
            try await program.interrupt("accessory")
        }
    }

    @Test(
        "The program lists the existing adapters if it does not find the adapter",
        arguments: Setting.eachRelease
    )
    func noSuchAdapter(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .peripheral, "inside: no adapter") { bluez in
            let program = try await InsideProgram(in: bluez)
            let run = try await program.run(["explore", "x", "--adapter", "hci7"])
            #expect(run.status == 69)
            #expect(run.remarks.contains("hci7: no such adapter; there is hci0, hci1"))
            let address = "hci:12:34:56:78:9A:BC"
            let other = try await program.run(["explore", "x", "--adapter", address, "--no-store"])
            #expect(other.remarks.contains("\(address): no such adapter; there is hci0, hci1"))
        }
    }

    @Test(
        "An adapter on which bluetoothd has a link stays with bluetoothd",
        arguments: Setting.latestOnly
    )
    func busyDaemon(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .peripheral, "inside: bluetoothd has links") { bluez in
            try await bluez.powerOn()
            try await bluez.advertise(name: "busy")
            let host = try await bluez.makeHost()
            let link = try await host.connect(to: try await found("busy", by: host))
            let program = try await InsideProgram(in: bluez)
            let run = try await program.run(["scan", "--adapter", "hci0", "--no-store"])
            #expect(run.status == 69)
            let refusal = "hci0: in use by bluetoothd"
            #expect(run.remarks.contains(refusal) && run.remarks.contains("with 1 connection"))
            #expect(run.remarks.contains("systemctl stop bluetooth"))
            // The link is still there.
            #expect(try await !link.discoverServices().isEmpty)
            try await link.disconnect()
        }
    }

    // MARK: Taking, unplugging and returning

    @Test(
        "The program returns an adapter powered on if bluetoothd had powered it on",
        arguments: Setting.eachRelease
    )
    func borrowed(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .peripheral, "inside: borrowed") { bluez in
            try await bluez.powerOn()
            let program = try await InsideProgram(in: bluez)
            try await program.start(["scan", "--adapter", "hci0", "--no-store"], as: "scan")
            _ = try await bluez.event("adapter_removed", within: InsideProgram.limit) {
                $0["path"] == Self.first
            }
            #expect(try await program.interrupt("scan") == 130)
            _ = try await bluez.event("adapter") { $0["path"] == Self.first }
            // No other program has powered the adapter on.
            try await isPowered(bluez)
            try await bluez.advertise(name: "borrowed")
            let host = try await bluez.makeHost()
            _ = try await found("borrowed", by: host)
        }
    }

    @Test(
        "The program returns an adapter although another process holds a copy of its descriptor",
        arguments: Setting.eachRelease
    )
    func copied(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .peripheral, "inside: a copy is held") { bluez in
            try await bluez.powerOn()
            let program = try await InsideProgram(in: bluez)
            try await program.start(["scan", "--adapter", "hci0", "--no-store"], as: "scan")
            _ = try await bluez.event("adapter_removed", within: InsideProgram.limit) {
                $0["path"] == Self.first
            }
            let file = try program.write(holder, to: "holder.py")
            try await bluez.spawn("exec python3 \(file) $(pidof lanyard)", as: "holder")
            _ = try await bluez.output(of: "holder") { $0 == "holding 1" }
            #expect(try await program.interrupt("scan") == 130)
            #expect(try await bluez.output(of: "holder") == "waited for")
            _ = try await bluez.event("adapter") { $0["path"] == Self.first }
            try await isPowered(bluez)
        }
    }

    @Test(
        "The accessory waits for an unplugged adapter and advertises again after its return",
        arguments: Setting.eachRelease
    )
    func unplugged(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "inside: unplugged") { bluez in
            try await bluez.powerOn()
            let program = try await InsideProgram(in: bluez)
            try await start(program, adapter: try await address(of: "hci1", program))
            try await bluez.pullOutAdapters()
            let lost = try await program.line(of: "accessory", after: "adapter lost: ")
            #expect(lost.contains("hci:") && lost.contains("plug it in again"))
            try await bluez.putBackAdapters()
            try await program.line(of: "accessory", after: "adapter back")
            try await bluez.powerOn()
            try await bluez.scan()
            _ = try await bluez.device(named: "inside-adapter")
            try await bluez.stopScan()
            try await program.interrupt("accessory")
        }
    }

    @Test(
        "The watch option reports that an adapter is unplugged and plugged in",
        arguments: Setting.latestOnly
    )
    func watched(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "inside: adapters --watch") { bluez in
            let program = try await InsideProgram(in: bluez)
            try await program.start(["adapters", "--watch"], as: "watch")
            try await program.line(of: "watch", after: "hci1 came: ")
            try await bluez.pullOutAdapters()
            try await program.line(of: "watch", after: "hci1 is gone")
            try await bluez.putBackAdapters()
            try await program.line(of: "watch", after: "hci1 came: ")
            #expect(try await program.interrupt("watch") == 130)
        }
    }

    // MARK: Helpers

    /// The D-Bus path of hci0.
    private static let first = JSON.string("/org/bluez/hci0")

    /// Starts a server, which takes the adapter.
    private func start(_ program: InsideProgram, adapter: String = "hci1") async throws {
        let file = try program.write(database, to: "adapter.json")
        let arguments = ["serve", file, "--stay", "--adapter", adapter, "--no-store"]
        try await program.start(arguments, as: "accessory")
        try await program.line(of: "accessory", after: "ready: ")
    }

    private func address(of name: String, _ program: InsideProgram) async throws -> String {
        let list = try await program.succeed(["adapters", "--json"])
        let adapter = try list.json["adapters"].elements.first { $0["name"].text == name }
        return try #require(adapter?["adapter"].text)
    }

    private func found(_ name: String, by host: BluetoothHost) async throws -> DeviceAddress {
        try await within(Limits.discovery, "an advertisement of \(name)") {
            var filter = ScanFilter()
            filter.namePrefix = name
            for try await advertisement in host.scan(for: filter) {
                return advertisement.address
            }
            throw CancellationError()
        }
    }

    private func isPowered(_ bluez: BlueZ) async throws {
        // An earlier change may still be among the events.
        while try await bluez.call("adapter")["Powered"] != .boolean(true) {
            try await bluez.change(of: "/org/bluez/hci0", "Powered", to: .boolean(true))
        }
    }
}
