// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import VirtualRadio

@testable import VirtualAdapters

/// A world with two bridges. The test acts as the devices of RootCanal on the far side of each
/// bridge.
final class BridgedWorld {
    /// One of the bridges.
    enum Side: Int, CaseIterable {
        case left, right
    }

    /// A bridge with its controllers.
    private struct BridgeState {
        var bridge: RootCanalBridge
        var controllers: [Int: ControllerID] = [:]
        var sent: [RootCanalPacket] = []
    }

    let world = World(seed: 1)
    private var bridges: [BridgeState] = []
    private var arrived: [(side: Side, number: Int, packet: [UInt8])] = []

    /// Creates the world, and runs it until both bridges scan.
    init() {
        bridges = Side.allCases.map { _ in BridgeState(bridge: RootCanalBridge(now: world.now)) }
        run(for: .milliseconds(100))
    }

    /// Returns the number of controllers of a bridge, including its observer.
    func controllerCount(_ side: Side) -> Int { bridges[side.rawValue].controllers.count }

    /// Gives a bridge a packet of RootCanal.
    func receive(_ packet: RootCanalPacket, on side: Side) {
        try? receive(packet.framedBytes, on: side)
    }

    /// Gives a bridge bytes of RootCanal's port.
    func receive(_ bytes: [UInt8], on side: Side) throws {
        try bridges[side.rawValue].bridge.receive(bytes[...], now: world.now)
        perform(side)
    }

    /// Returns and removes the packets for RootCanal, in order.
    func takeSent(_ side: Side) -> [RootCanalPacket] {
        defer { bridges[side.rawValue].sent = [] }
        return bridges[side.rawValue].sent
    }

    /// Runs the world, and both bridges with it.
    func run(for duration: Duration) {
        let end = world.now + duration
        for side in Side.allCases { perform(side) }
        while world.now < end {
            world.run(for: .milliseconds(1))
            while !arrived.isEmpty {
                let (side, number, packet) = arrived.removeFirst()
                bridges[side.rawValue].bridge.receive(packet, from: number, now: world.now)
                perform(side)
            }
            for side in Side.allCases {
                guard let deadline = bridges[side.rawValue].bridge.nextDeadline,
                    deadline <= world.now
                else { continue }
                bridges[side.rawValue].bridge.deadlinePassed(now: world.now)
                perform(side)
            }
        }
    }

    private func perform(_ side: Side) {
        for output in bridges[side.rawValue].bridge.takeOutputs() {
            switch output {
            case .send(let packet): bridges[side.rawValue].sent.append(packet)
            case .addController(let number, let address): add(number, address, side)
            case .removeController(let number):
                bridges[side.rawValue].controllers.removeValue(forKey: number).map(world.remove)
            case .readScanResponse(let advertiser, let scanner):
                guard let data = world.scanResponse(of: advertiser) else { break }
                bridges[side.rawValue].bridge.answerScan(of: advertiser, for: scanner, with: data)
                perform(side)
            case .readCentralKey(let number, let request):
                let handle = request.connectionHandle
                guard let controller = bridges[side.rawValue].controllers[number],
                    let key = world.centralKey(of: handle, at: controller)
                else { break }
                bridges[side.rawValue].bridge.requestEncryption(
                    at: number,
                    answering: request,
                    with: key
                )
                perform(side)
            case .sendToController(let number, let packets):
                guard let controller = bridges[side.rawValue].controllers[number] else { break }
                for packet in packets { world.send(packet, to: controller) }
            }
        }
    }

    private func add(_ number: Int, _ address: DeviceAddress?, _ side: Side) {
        let position = Position(x: Double(side.rawValue), y: Double(number % 8))
        var configuration = ControllerConfiguration(at: position)
        if address?.kind == .public { configuration.publicAddress = address }
        configuration.reportsAllTargets = address == nil
        guard let controller = try? world.addController(configuration) else {
            return bridges[side.rawValue].bridge.controllerRefused(number)
        }
        bridges[side.rawValue].controllers[number] = controller
        world.attach(controller) { [unowned self] in arrived.append((side, number, $0)) }
    }
}

/// A device of RootCanal, for which the test acts.
struct RemoteDevice {
    let address: DeviceAddress
    let side: BridgedWorld.Side

    /// The peripheral of the tests, on the left.
    static let peripheral = RemoteDevice(
        address: DeviceAddress(value: 0xC000_0000_0001, kind: .random),
        side: .left
    )
    /// The central of the tests, on the right.
    static let central = RemoteDevice(
        address: DeviceAddress(value: 0x0000_0000_0C02, kind: .public),
        side: .right
    )

    /// Sends a packet to the other device.
    func send(
        _ content: RootCanalPacket.Content,
        to other: RemoteDevice? = nil,
        in world: BridgedWorld
    ) {
        let packet = RootCanalPacket(
            source: address.value,
            destination: other?.address.value ?? 0,
            content: content
        )
        world.receive(packet, on: side)
    }

    /// Returns the packets that the other device has sent to this one. Removes all packets for this
    /// side.
    func received(from other: RemoteDevice, in world: BridgedWorld) -> [RootCanalPacket.Content] {
        world.takeSent(side).filter {
            $0.source == other.address.value && $0.destination == address.value
        }.map(\.content)
    }
}
