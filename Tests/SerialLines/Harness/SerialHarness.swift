// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import HCITransports
import ProcessTestSupport
import Testing
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

/// A host on a serial line with one of our virtual controllers at its other end, and the demo
/// accessory in range. The harness runs in real time, and the line is a pseudo terminal.
struct SerialHarness: Sendable {
    /// The time limit for any step, on a machine with other load.
    static let limit = Duration.seconds(120)

    let host: BluetoothHost
    let uart: UART
    let states: StateLog

    /// Performs the work of a central: finds the accessory, discovers its database, reads and
    /// writes. Throws if a step fails, or if the visit takes longer than `limit`.
    func visit() async throws {
        try await within(Self.limit, "the end of a visit") { try await visitAtLeisure() }
    }

    /// Performs the work of `visit()` without a time limit. The work has ended when this returns.
    func visitAtLeisure() async throws {
        let link = try await host.connect(to: Self.find(host).address)
        let found = try await Self.characteristics(of: link)
        let short = try #require(found[Demo.short])
        #expect(try await link.read(short).count == 20)
        let long = try #require(found[Demo.long])
        #expect(try await link.readLong(long).count == 512)
        let writable = try #require(found[Demo.writable])
        let value = [UInt8](repeating: 0xA5, count: 18)
        try await link.write(value, to: writable)
        #expect(try await link.read(writable) == value)
        try await link.disconnect()
    }

    /// Waits for a matching state of the host from `index` on. Returns the index after it.
    @discardableResult
    func wait(
        from index: Int = 0,
        until isMet: @escaping @Sendable (AdapterState) -> Bool
    ) async throws -> Int {
        try await within(Self.limit, "a state") {
            try await states.wait(from: index, until: isMet)
        }
    }

    private static func find(_ host: BluetoothHost) async throws -> Advertisement {
        for try await advertisement in host.scan(for: ScanFilter(name: "Demo")) {
            return advertisement
        }
        throw NothingFound()
    }

    private static func characteristics(
        of link: Link
    ) async throws -> [BluetoothUUID: GATT.Characteristic] {
        var found: [BluetoothUUID: GATT.Characteristic] = [:]
        for service in try await link.discoverServices() {
            for characteristic in try await link.discoverCharacteristics(of: service) {
                found[characteristic.uuid] = characteristic
            }
        }
        return found
    }

    struct NothingFound: Error {}
}

/// The attributes of the demo accessory that these tests use.
enum Demo {
    static func uuid(_ number: Int) -> BluetoothUUID {
        guard let uuid = BluetoothUUID("4C414E59-4152-4400-A000-00000000000\(number)") else {
            preconditionFailure("the text is a UUID")
        }
        return uuid
    }

    static let short = uuid(1)
    static let long = uuid(2)
    static let writable = uuid(3)
}

/// Gives `body` a line to a controller with the demo accessory in range. `body` opens the line.
func withLine(
    seed: UInt64 = 1,
    prepare: @Sendable (inout UART.Line) -> Void = { _ in },
    _ body: @Sendable (UART) async throws -> Void
) async throws {
    let air = LiveAir(World(seed: seed))
    let adapter = try await air.addAdapter(ControllerConfiguration(name: "board"))
    let accessory = ControllerConfiguration(name: "accessory", at: Position(x: 1, y: 0))
    _ = try await air.perform { world in
        Result {
            try world.addController(accessory, host: SimpleAccessory(.demo(name: "Demo")))
        }
    }.get()
    let uart = try await UART(PseudoTerminal(), to: adapter, on: air.executor)
    prepare(&uart.line)
    let end = await Result { try await body(uart) }
    await uart.dismantle()
    air.shutDown()
    try end.get()
}

/// Gives `body` a host that has been started on a line in the state that `prepare` sets.
func withSerialHarness(
    _ options: String = "@1000000",
    seed: UInt64 = 1,
    prepare: @Sendable (inout UART.Line) -> Void = { _ in },
    _ body: @Sendable (SerialHarness) async throws -> Void
) async throws {
    try await withLine(seed: seed, prepare: prepare) { uart in
        let specification = try AdapterSpecification("serial:\(uart.terminal.path)\(options)")
        let host = BluetoothHost(transport: specification.makeTransport())
        let harness = SerialHarness(host: host, uart: uart, states: StateLog(host))
        let end = await Result {
            try await within(SerialHarness.limit, "a host") { try? await host.start() }
            try await harness.wait { $0 == .ready }
            try await body(harness)
        }
        if case .failure = end { Issue.record("states: \(harness.states.all)") }
        await host.shutdown()
        try end.get()
    }
}

extension Result where Failure == any Error {
    /// Creates the result of `body`.
    fileprivate init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
