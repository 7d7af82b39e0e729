// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import VirtualRadio

@testable import VirtualAdapters

/// Gives a bridge the packets of three devices of RootCanal, valid and invalid, in a world with a
/// controller that advertises, connects to these devices and encrypts its links.
func fuzzRootCanal(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var joined = FuzzedBridge()
    while !input.isAtEnd {
        switch input.number(below: 12) {
        case 0: joined.run(for: .microseconds(Int64(input.word())))
        case 1: joined.receive(input.bytes())
        case 2: joined.connect(to: UInt8(input.number(below: 3)))
        case 3: joined.encrypt(UInt8(input.number(below: 4)), with: input.byte())
        case 4: joined.replyKey(UInt8(input.number(below: 4)), with: input.byte())
        default:
            let packet = [tags[input.number(below: tags.count)]] + addresses(&input) + input.bytes()
            let length = [UInt8(packet.count & 0xFF), UInt8(packet.count >> 8), 0, 0]
            joined.receive(length + packet)
            guard let read = try? RootCanalPacket(packet) else { continue }
            require((try? RootCanalPacket(read.bytes)) == read, "changed by writing and reading")
        }
        require(joined.controllerCount <= 1 + RootCanalBridge.proxyLimit, "too many proxies")
    }
    // Links end by their supervision timeouts, at most 32 s, and silent proxies are removed.
    joined.run(for: .seconds(80))
    require(joined.controllerCount == 1, "a leaked proxy")
}

/// The types of the packets.
private let tags: [UInt8] = [
    0x01, 0x05, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x1B, 0x1C, 0x20, 0x21, 0x2C, 0x2D, 0x2E, 0x2F, 0x35,
    0x36, 0x37, 0x50, 0x51, 0x52,
]

/// Returns the addresses of a packet: of RootCanal's devices, and of the controller of the world.
private func addresses(_ input: inout FuzzInput) -> [UInt8] {
    let (source, destination) = (UInt8(input.number(below: 3)), UInt8(input.number(below: 4)))
    return [source, 0, 0, 0, 0, 0xC0] + [destination, 0, 0, 0, 0, 0xC0]
}

/// A bridge in a world with a controller at the address C0:00:00:00:00:03, which advertises.
private struct FuzzedBridge {
    private let world = World(seed: 1)
    private let controller: ControllerID
    private var bridge: RootCanalBridge
    private var controllers: [Int: ControllerID] = [:]
    private let arrived = Arrived()
    private var isLost = false

    private final class Arrived {
        var packets: [(number: Int, packet: [UInt8])] = []
    }

    init() {
        bridge = RootCanalBridge(now: world.now)
        let address = DeviceAddress(value: 0xC000_0000_0003, kind: .public)
        let configuration = ControllerConfiguration(publicAddress: address)
        guard let controller = try? world.addController(configuration) else {
            fatalError("the world refuses a controller")
        }
        self.controller = controller
        // LE Set Advertising Parameters with 100 ms, and LE Set Advertising Enable.
        world.send(
            [1, 6, 0x20, 15, 160, 0, 160, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0],
            to: controller
        )
        world.send([1, 0x0A, 0x20, 1, 1], to: controller)
        run(for: .milliseconds(20))
    }

    var controllerCount: Int { controllers.count }

    /// Lets the controller of the world connect to a device of RootCanal: LE Create Connection.
    func connect(to device: UInt8) {
        let peer: [UInt8] = [1, device, 0, 0, 0, 0, 0xC0]
        let parameters: [UInt8] = [0, 24, 0, 24, 0, 0, 0, 0x90, 1, 0, 0, 0, 0]
        let command: [UInt8] = [1, 0x0D, 0x20, 25, 0x60, 0, 0x60, 0, 0] + peer + parameters
        world.send(command, to: controller)
    }

    /// Lets the controller encrypt a link: LE Enable Encryption.
    func encrypt(_ handle: UInt8, with key: UInt8) {
        let command: [UInt8] = [1, 0x19, 0x20, 28, handle, 0] + [UInt8](repeating: 0, count: 10)
        world.send(command + [UInt8](repeating: key, count: 16), to: controller)
    }

    /// Lets the controller answer a request for encryption: LE Long Term Key Request Reply.
    func replyKey(_ handle: UInt8, with key: UInt8) {
        let command: [UInt8] = [1, 0x1A, 0x20, 18, handle, 0]
        world.send(command + [UInt8](repeating: key, count: 16), to: controller)
    }

    mutating func receive(_ bytes: [UInt8]) {
        // After an error, the driver ends the connection.
        guard !isLost else { return }
        do { try bridge.receive(bytes[...], now: world.now) } catch { isLost = true }
        perform()
    }

    mutating func run(for duration: Duration) {
        let end = world.now + duration
        perform()
        while world.now < end {
            let due = min(bridge.nextDeadline ?? end, world.now + .milliseconds(20))
            world.run(until: min(end, max(due, world.now + .microseconds(100))))
            let packets = arrived.packets
            arrived.packets = []
            for (number, packet) in packets { bridge.receive(packet, from: number, now: world.now) }
            if let deadline = bridge.nextDeadline, deadline <= world.now {
                bridge.deadlinePassed(now: world.now)
            }
            perform()
        }
    }

    private mutating func perform() {
        for output in bridge.takeOutputs() {
            switch output {
            case .addController(let number, let address):
                var configuration = ControllerConfiguration()
                if address?.kind == .public { configuration.publicAddress = address }
                guard let controller = try? world.addController(configuration) else {
                    bridge.controllerRefused(number)
                    break
                }
                controllers[number] = controller
                world.attach(controller) { [arrived] in arrived.packets.append((number, $0)) }
            case .removeController(let number):
                controllers.removeValue(forKey: number).map { world.remove($0) }
            case .sendToController(let number, let packets):
                guard let controller = controllers[number] else { break }
                for packet in packets { world.send(packet, to: controller) }
            case .readCentralKey(let number, let request):
                guard let controller = controllers[number],
                    let key = world.centralKey(of: request.connectionHandle, at: controller)
                else { break }
                bridge.requestEncryption(at: number, answering: request, with: key)
                perform()
            case .send, .readScanResponse: break
            }
        }
    }
}
