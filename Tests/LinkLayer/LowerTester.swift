// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import VirtualAdapters
import VirtualRadio

/// A world with the controller under test and a *lower tester*: a radio whose packets the test
/// suite writes and reads.
///
/// RootCanal's packets have no time, and each answer comes at once. On this radio an answer begins
/// T_IFS after the packet. The world therefore pauses at the end of each packet that the suite may
/// answer, until the suite lets time pass (`pass`). The packets of an advertising event, one on
/// each channel, are one packet of RootCanal: the suite gets the first of them.
struct LowerTester {
    /// A packet for the suite.
    enum Output: Equatable {
        /// A packet of the controller to its host, in H4 form.
        case host([UInt8])
        /// A packet of the controller on the air.
        case air(RootCanalPacket)
    }

    /// A packet of the suite that waits for the moment at which it can be sent.
    struct Waiting {
        var packet: RootCanalPacket
        /// The signal strength at the controller, in dBm.
        var strength: Int8
    }

    /// The longest time that a call of `pass` lasts if there is neither a link nor a waiting
    /// advertisement. The suite calls `pass` with this period.
    static let step = Duration.milliseconds(5)
    /// The longest time that a call of `pass` lasts if there is a link and no waiting
    /// advertisement. The call ends at the first output.
    static let leap = Duration.milliseconds(640)
    /// The length in milliseconds of a search for a moment at which the controller listens, so that
    /// a waiting advertisement can be sent.
    static let lead = 20
    /// The maximum number of these searches. Together, they take the longest legacy scan interval,
    /// 10.24 s.
    static let leadLimit = 512

    var core = WorldCore(seed: WorldSeed(1), pathLoss: .freeSpace, shadowing: .none)
    /// The radio of the controller under test.
    let controller: RadioID
    /// The radio of the lower tester. Its controller runs the Link Layer of its links.
    let tester: RadioID

    /// The packets for the suite since they were last taken.
    var output: [Output] = []
    /// The event at which the world pauses: the end of a packet of the controller.
    var held: WorldEvent?
    /// The channel of the last advertisement of the controller.
    var lastChannel: RadioChannel?
    /// The scan or connection request of the suite, which waits for an advertisement.
    var request: Waiting?
    /// The answer of the suite to the packet of the event `held`.
    var answer: Waiting?
    /// The advertisement of the suite, which waits until the controller listens.
    var advertisement: Waiting?
    /// The scanner's address in the last scan request of the suite.
    var scanner = DeviceAddress(value: 0, kind: .public)
    /// The links, by the handle at the lower tester.
    var links: [ConnectionHandle: TestLink] = [:]
    /// The last control PDU of each link, while the controller sends it.
    var sentPDUs: [LinkID: LLControlPDU] = [:]
    /// The key of the host's last request for encryption, which RootCanal sends to the peer.
    var key: [UInt8] = []

    /// Creates the world; `nil` if it has no room for two controllers.
    ///
    /// - Parameters:
    ///   - address: The public address of the controller under test.
    ///   - isOld: Whether that controller has the features of Bluetooth 4.x only.
    init?(address: DeviceAddress, isOld: Bool) {
        var configuration = ControllerConfiguration(name: "under test", publicAddress: address)
        configuration.isOld = isOld
        guard let controller = core.addController(configuration),
            let tester = core.addController(ControllerConfiguration(name: "tester"))
        else { return nil }
        self.controller = controller
        self.tester = tester
        // Every packet arrives, with the strength that the suite names.
        core.ether.environment.setLoss(0, between: controller, and: tester)
        for radio in [controller, tester] {
            core.ether.environment[radio]?.reception = Reception(le1M: -127, le2M: -127)
        }
        core.ether.takesShortcuts = false
        for command in Self.openMasks { send(command, to: tester) }
        run(for: .zero, untilOutput: false)
    }

    /// Set Event Mask and LE Set Event Mask with all events.
    private static let openMasks = [
        [0x01, 0x01, 0x0C, 8] + [UInt8](repeating: 0xFF, count: 8),
        [0x01, 0x01, 0x20, 8] + [UInt8](repeating: 0xFF, count: 8),
    ]

    /// Sends an H4 packet to a controller.
    mutating func send(_ bytes: [UInt8], to radio: RadioID) {
        core.ether.hostSends(bytes, to: radio)
    }

    /// Sends an H4 packet of the suite, which is the host of the controller under test.
    mutating func hostSends(_ bytes: [UInt8]) {
        if bytes.starts(with: Self.enableEncryption) { key = Array(bytes.suffix(16)) }
        send(bytes, to: controller)
        run(for: .zero, untilOutput: false)
    }

    /// LE Enable Encryption: the packet type, the opcode and the length.
    private static let enableEncryption: [UInt8] = [0x01, 0x19, 0x20, 28]

    /// Lets time pass.
    mutating func pass() {
        resume()
        placeAdvertisement()
        let isLeaping = !links.isEmpty
        run(for: isLeaping ? Self.leap : Self.step, untilOutput: isLeaping)
    }

    /// Returns and removes the packets for the suite.
    mutating func takeOutput() -> [Output] {
        defer { output.removeAll() }
        return output
    }

    /// Runs the events of the next `duration`, or until the world pauses, or until there is
    /// output.
    mutating func run(for duration: Duration, untilOutput: Bool) {
        let end = core.timeline.now + duration
        while held == nil, !(untilOutput && !output.isEmpty) {
            guard let event = core.timeline.next(through: end) else {
                return core.timeline.advance(to: end)
            }
            handle(event)
        }
    }

    private mutating func handle(_ event: WorldEvent) {
        switch event {
        case .packetEnds(let packet) where packet.sender == controller:
            if report(packet) { held = event } else { perform(event) }
        case .link(.packetEnds, let link):
            if reportControl(link) { held = event } else { perform(event) }
        case .packetEnds(let packet) where packet.sender == tester:
            perform(event)
            if case .connectionRequest(let request) = packet.pdu { open(request) }
        default: perform(event)
        }
    }

    /// Sends the answer of the suite to the packet at whose end the world pauses, and
    /// continues.
    private mutating func resume() {
        guard let event = held else { return }
        held = nil
        switch event {
        case .packetEnds(let packet): answer(packet)
        case .link(_, let link): answerControl(link)
        default: break
        }
        answer = nil
        perform(event)
    }

    /// Handles an event in the world, and collects the packets to both hosts.
    mutating func perform(_ event: WorldEvent) {
        core.handle(event)
        for (radio, packet) in core.takeDeliveries() {
            if radio == controller {
                output.append(.host(packet))
            } else {
                testerReceives(packet)
            }
        }
    }
}
