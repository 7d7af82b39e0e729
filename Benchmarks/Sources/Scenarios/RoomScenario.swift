// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import VirtualRadio

/// A room of accessories that advertise, and one controller in the middle that scans all the time
/// and tells every report: nothing but virtual controllers and their air.
public final class RoomScenario {
    /// How often each accessory advertises.
    public static let interval = Duration.milliseconds(100)

    private let world = World(seed: 7, shadowing: Shadowing(deviation: 4))
    /// How many packets the scanner has sent to its host: reports, and a few answers before.
    public private(set) var reportCount = 0

    /// A room with so many accessories, on rings around the scanner, up to 20 m away.
    public init(accessoryCount: Int) throws {
        try addScanner()
        for number in 0..<accessoryCount { try addAccessory(number) }
        world.run(for: .zero)
        reportCount = 0
    }

    /// Lets the time pass.
    public func run(for duration: Duration) { world.run(for: duration) }

    private struct WorldIsFull: Error {}

    private func addScanner() throws {
        guard let scanner = world.addController(ControllerConfiguration(name: "scanner")) else {
            throw WorldIsFull()
        }
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

    private func addAccessory(_ number: Int) throws {
        let ring = Double(1 + number % 20)
        let place = Position(x: number % 2 == 0 ? ring : -ring, y: ring * Double(number % 3 - 1))
        let configuration = ControllerConfiguration(name: "\(number)", path: Path(place))
        guard let accessory = world.addController(configuration) else { throw WorldIsFull() }
        send(HCI.Reset(), to: accessory)
        let interval = HCI.ScanInterval(Self.interval)
        send(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: interval,
                intervalMaximum: interval,
                ownAddressType: .public
            ),
            to: accessory
        )
        if let data = HCI.LegacyAdvertisingData([UInt8](repeating: 0, count: 31)) {
            send(HCI.LESetAdvertisingData(data: data), to: accessory)
        }
        send(HCI.LESetAdvertisingEnable(isEnabled: true), to: accessory)
    }

    private func send(_ command: some HCICommand, to controller: ControllerID) {
        world.send(HCI.EncodedCommand(command).h4Packet, to: controller)
        world.run(for: .zero)
    }
}
