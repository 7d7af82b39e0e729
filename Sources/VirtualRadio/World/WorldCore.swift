// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A world as a value: the ether, and the controllers that share it.
package struct WorldCore {
    /// The medium and everything else between the controllers.
    package var ether: Ether
    /// A sniffer: receives every packet on an advertising channel when it ends, whether or not a
    /// controller received it.
    package var packetObserver: ((AdvertisingPacket) -> Void)?
    /// The controllers, by radio. Removed controllers keep their places.
    package internal(set) var controllers: [VirtualController] = []
    /// The hosts that the world runs.
    var scriptedHosts = ScriptedHosts()
    var outputs: [HostOutbox] = []
    /// The numbers of packets that passed between the controllers and their hosts, by radio.
    var packetCounts: [PacketCounts] = []
    /// The radios of removed controllers, which new controllers reuse.
    var freeRadios: [RadioID] = []
    /// The number of controllers removed from each radio, if any.
    var removalCounts: [Int: Int] = [:]
    /// The packets that passed since they were last taken; `nil` without an observer.
    var passed: [PassedPacket]?
    /// The packets that reached hosts other than scripted hosts since they were last taken, in
    /// order.
    private var deliveries: [(radio: RadioID, packet: [UInt8])] = []

    /// Creates a world without controllers.
    package init(seed: WorldSeed, pathLoss: PathLoss, shadowing: Shadowing) {
        ether = Ether(
            seed: seed,
            environment: RadioEnvironment(seed: seed, pathLoss: pathLoss, shadowing: shadowing)
        )
    }

    /// The scheduled events, and the current time.
    package var timeline: EventTimeline<WorldEvent> {
        get { ether.timeline }
        _modify { yield &ether.timeline }
    }

    /// Adds a controller to the world; returns `nil` if the world is full.
    package mutating func addController(_ configuration: ControllerConfiguration) -> RadioID? {
        let radio = freeRadios.popLast() ?? RadioID(UInt64(controllers.count))
        let station = Station(configuration.path, transmitPower: configuration.transmitPower)
        guard ether.environment.place(station, as: radio) else { return nil }
        let loss = configuration.faults.loss
        ether.receivers.put(Receiver(loss, seed: ether.seed, radio: radio), at: radio)
        ether.ports.put(HostWire(), at: radio)
        ether.wires.put(
            HostWireFaults(.none, seed: ether.seed, radio: radio, now: ether.now),
            at: radio
        )
        ether.schedules.put(RadioSchedule(), at: radio)
        ether.links.resources.put(LinkResources(configuration), at: radio)
        outputs.put(HostOutbox(), at: radio)
        packetCounts.put(PacketCounts(), at: radio)
        controllers.put(makeController(configuration, radio: radio), at: radio)
        setFaults(configuration.faults, of: radio)
        return radio
    }

    /// Returns a controller in the state after power-on.
    func makeController(
        _ configuration: ControllerConfiguration,
        radio: RadioID
    ) -> VirtualController {
        var generator = ether.seed.stream("public address", radio.rawValue)
        let made = DeviceAddress(value: generator.next(), kind: .public)
        return VirtualController(
            configuration,
            radio: radio,
            publicAddress: configuration.publicAddress ?? made,
            seed: ether.seed
        )
    }

    /// Handles an event at the current time.
    package mutating func handle(_ event: WorldEvent) {
        switch event {
        case .timer(let timer, let radio): controllers[radio.index].timerFired(timer, &ether)
        case .packetEnds(let packet): end(packet)
        case .link(let timer, let link): ether.linkTimerFired(timer, link)
        case .hostSent(let bytes, let radio):
            ether.wires[radio.index].toController.arrived()
            guard isOn(radio) else { break }
            note(bytes, .toController, at: radio)
            controllers[radio.index].receive(bytes, &ether)
        case .controllerSent(let packet, let radio):
            ether.wires[radio.index].toHost.arrived()
            deliver(packet, toHostOf: radio)
        case .scriptedHostDue(let radio): scriptedHosts.deadlinePassed(at: radio, &ether)
        case .fault(let radio): if isOn(radio) { performFaults(of: radio) }
        }
        collectOutput()
    }

    /// Ends the packet: every controller that received it acts on it, first the addressee and then
    /// the others in the order of their numbers. The sender acts last.
    private mutating func end(_ packet: AdvertisingPacket) {
        packetObserver?(packet)
        if let addressee = packet.addressee { deliver(packet, to: addressee) }
        for listener in ether.listeners where listener.mayInclude(packet) {
            let radio = listener.radio
            if radio != packet.sender, radio != packet.addressee { deliver(packet, to: radio) }
        }
        controllers[packet.sender.index].transmitted(packet, &ether)
    }

    private mutating func deliver(_ packet: AdvertisingPacket, to radio: RadioID) {
        guard controllers[radio.index].listens(to: packet, ether) else { return }
        let strength = ether.receive(
            packet.transmission,
            pduLength: packet.pduLength,
            modulation: packet.modulation,
            at: radio
        )
        guard let strength else { return }
        controllers[radio.index].receive(packet, rssi: strength, &ether)
    }

    /// Delivers the controllers' output to the hosts.
    private mutating func collectOutput() {
        guard !ether.announcedPorts.isEmpty else { return }
        let radios = ether.announcedPorts
        ether.announcedPorts.removeAll(keepingCapacity: true)
        for radio in radios {
            let isPlain = ether.wires[radio.index].deliversUnchanged
            for packet in ether.ports[radio.index].takeOutput() {
                if isPlain {
                    deliver(packet, toHostOf: radio)
                } else {
                    ether.sendToHost(packet, from: radio)
                }
            }
        }
    }

    private mutating func deliver(_ packet: [UInt8], toHostOf radio: RadioID) {
        note(packet, .toHost, at: radio)
        if scriptedHosts.hasHost(radio) {
            ether.watchWire(packet, .toHost, radio)
            scriptedHosts.receive(packet, at: radio, &ether)
        } else {
            deliveries.append((radio, packet))
        }
    }

    /// Whether packets have passed, or have reached hosts, since they were last taken.
    var hasPackets: Bool { !deliveries.isEmpty || passed?.isEmpty == false }

    /// Returns and removes the packets that have reached hosts other than scripted hosts, in order.
    package mutating func takeDeliveries() -> [(radio: RadioID, packet: [UInt8])] {
        guard !deliveries.isEmpty else { return [] }
        defer { deliveries.removeAll(keepingCapacity: true) }
        return deliveries
    }

    /// Keeps a packet of a controller without an attached host.
    package mutating func keep(_ packet: [UInt8], of radio: RadioID) {
        outputs[radio.index].put(packet)
    }

    /// Returns and removes the kept packets.
    package mutating func takeOutput(of radio: RadioID) -> [[UInt8]] {
        outputs[radio.index].takeAll()
    }
}

extension Array {
    /// Sets the element of the radio, or appends it if the radio is new.
    fileprivate mutating func put(_ element: Element, at radio: RadioID) {
        if radio.index < count { self[radio.index] = element } else { append(element) }
    }
}
