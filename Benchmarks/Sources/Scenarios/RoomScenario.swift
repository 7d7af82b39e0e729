// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import VirtualAdapters
import VirtualRadio

/// A room of accessories that advertise, and one controller in the middle that scans all the time
/// and reports everything: only virtual controllers and their radio.
public final class RoomScenario {
    /// The advertising interval of each accessory.
    public static let interval = Duration.milliseconds(100)

    private let world = World(seed: 7, shadowing: Shadowing(deviation: 4))
    /// The number of advertising reports that the scanner has sent to its host.
    public private(set) var reportCount = 0

    /// Creates a room with this many accessories around the scanner, up to 28.3 m away.
    public init(accessoryCount: Int) throws {
        try addScanner()
        try Accessories.add(accessoryCount, to: world)
        world.run(for: .zero)
        reportCount = 0
    }

    /// Runs the virtual radio for a duration.
    public func run(for duration: Duration) { world.run(for: duration) }

    private func addScanner() throws {
        let scanner = try world.addController(ControllerConfiguration(name: "scanner"))
        world.attach(scanner) { [unowned self] _ in reportCount += 1 }
        send(HCI.Reset(), to: scanner)
        send(HCI.SetEventMask(mask: HCI.EventMask(rawValue: .max)), to: scanner)
        let wide = HCI.ScanInterval(.milliseconds(100))
        send(
            HCI.LESetScanParameters(
                type: .passive,
                interval: wide,
                window: wide,
                ownAddressType: .public
            ),
            to: scanner
        )
        send(HCI.LESetScanEnable(isEnabled: true, filtersDuplicates: false), to: scanner)
    }

    private func send(_ command: some HCICommand, to controller: ControllerID) {
        world.send(HCI.EncodedCommand(command).h4Packet, to: controller)
        world.run(for: .zero)
    }
}

/// The same room around a host, which reports all advertisements to its user.
public enum HostedRoom {
    /// Scans for this duration of virtual time. Returns the number of reported advertisements.
    public static func scan(accessoryCount: Int, for span: Duration) async throws -> Int {
        let air = SimulatedAir(seed: 7, shadowing: Shadowing(deviation: 4))
        let adapter = try air.addAdapter(ControllerConfiguration(name: "scanner"))
        try Accessories.add(accessoryCount, to: air.world)
        return try await air.run(bound: span + .seconds(60)) {
            let host = BluetoothHost(transport: adapter, executor: air.executor)
            try await host.start()
            let count = try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask {
                    var count = 0
                    for try await _ in host.scan(reportsDuplicates: true) { count += 1 }
                    return count
                }
                try await air.sleep(for: span)
                group.cancelAll()
                return try await group.next() ?? 0
            }
            await host.shutdown()
            return count
        }
    }
}

/// Accessories around the origin, up to 28.3 m away, that advertise forever.
private enum Accessories {
    static func add(_ count: Int, to world: World) throws {
        for number in 0..<count {
            let ring = Double(1 + number % 20)
            let x = number % 2 == 0 ? ring : -ring
            let place = Position(x: x, y: ring * Double(number % 3 - 1))
            let configuration = ControllerConfiguration(name: "\(number)", path: Path(place))
            let accessory = try world.addController(configuration)
            for command in start { world.send(command, to: accessory) }
        }
    }

    private static let start: [[UInt8]] = {
        let interval = HCI.ScanInterval(RoomScenario.interval)
        let parameters = HCI.LESetAdvertisingParameters(
            intervalMinimum: interval,
            intervalMaximum: interval,
            ownAddressType: .public
        )
        let data = HCI.LegacyAdvertisingData([UInt8](repeating: 0, count: 31))
        let commands: [(any HCICommand)?] = [
            HCI.Reset(), parameters, data.map { HCI.LESetAdvertisingData(data: $0) },
            HCI.LESetAdvertisingEnable(isEnabled: true),
        ]
        return commands.compactMap { $0.map { HCI.EncodedCommand($0).h4Packet } }
    }()
}
