// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A world as a value: the ether, and the controllers that meet in it.
package struct WorldCore {
    /// What is between the controllers.
    package var ether: Ether
    /// Sees every packet on an advertising channel when it ends, whoever hears it: a sniffer.
    package var packetObserver: ((AdvertisingPacket) -> Void)?
    /// The controllers, by radio; those that were removed keep their places.
    package internal(set) var controllers: [VirtualController] = []
    /// The hosts that the world runs by itself.
    var scriptedHosts = ScriptedHosts()
    var outputs: [HostOutbox] = []
    /// What passed between the controllers and their hosts, by radio.
    var traffic: [Traffic] = []
    /// Radios whose controllers were taken away: for controllers to come.
    var vacancies: [RadioID] = []
    /// How many controllers have left each radio, if any has.
    var tenures: [Int: Int] = [:]
    /// Every packet that passed since it was taken last, if anybody wants to see it.
    var passed: [PassedPacket]?
    /// What reached hosts since it was taken last, in order.
    private var deliveries: [(radio: RadioID, packet: [UInt8])] = []

    /// A world without controllers.
    package init(seed: WorldSeed, pathLoss: PathLoss, shadowing: Shadowing) {
        ether = Ether(
            seed: seed,
            surroundings: Surroundings(seed: seed, pathLoss: pathLoss, shadowing: shadowing)
        )
    }

    /// What is due when.
    package var timeline: Timeline<WorldEvent> {
        get { ether.timeline }
        _modify { yield &ether.timeline }
    }

    /// Puts a controller into the world; nil if it is full.
    package mutating func addController(_ configuration: ControllerConfiguration) -> RadioID? {
        let radio = vacancies.popLast() ?? RadioID(UInt64(controllers.count))
        let station = Station(configuration.path, transmitPower: configuration.transmitPower)
        guard ether.surroundings.place(station, as: radio) else { return nil }
        let loss = configuration.faults.loss
        ether.receivers.put(Receiver(loss, seed: ether.seed, radio: radio), at: radio)
        ether.ports.put(HostPort(), at: radio)
        ether.wires.put(
            HostWireFaults(.none, seed: ether.seed, radio: radio, now: ether.now),
            at: radio
        )
        ether.schedules.put(RadioSchedule(), at: radio)
        ether.links.accounts.put(LinkAccount(configuration), at: radio)
        outputs.put(HostOutbox(), at: radio)
        traffic.put(Traffic(), at: radio)
        controllers.put(makeController(configuration, radio: radio), at: radio)
        setFaults(configuration.faults, of: radio)
        return radio
    }

    /// A controller as it is after power-on.
    func makeController(
        _ configuration: ControllerConfiguration,
        radio: RadioID
    ) -> VirtualController {
        var dice = ether.seed.stream("public address", radio.rawValue)
        let made = DeviceAddress(value: dice.next(), kind: .public)
        return VirtualController(
            configuration,
            radio: radio,
            publicAddress: configuration.publicAddress ?? made,
            seed: ether.seed
        )
    }

    /// Lets the event happen, at the present.
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
        case .fault(let radio): performFaults(of: radio)
        }
        collectOutput()
    }

    /// The packet has ended: everyone who heard it acts on it, in the order of their numbers, and
    /// then its sender.
    private mutating func end(_ packet: AdvertisingPacket) {
        packetObserver?(packet)
        if let addressee = packet.addressee { deliver(packet, to: addressee) }
        for radio in ether.attentive where radio != packet.sender && radio != packet.addressee {
            deliver(packet, to: radio)
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
        controllers[radio.index].hear(packet, rssi: strength, &ether)
    }

    /// Brings what the controllers have for their hosts on its way.
    private mutating func collectOutput() {
        guard !ether.announcedPorts.isEmpty else { return }
        let radios = ether.announcedPorts
        ether.announcedPorts.removeAll(keepingCapacity: true)
        for radio in radios {
            let isPlain = ether.wires[radio.index].isPlainToHost
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
        if scriptedHosts.isSeated(radio) {
            ether.watchWire(packet, .toHost, radio)
            scriptedHosts.receive(packet, at: radio, &ether)
        } else {
            deliveries.append((radio, packet))
        }
    }

    /// Takes out what has reached hosts that are no scripted ones, in order.
    package mutating func takeDeliveries() -> [(radio: RadioID, packet: [UInt8])] {
        guard !deliveries.isEmpty else { return [] }
        defer { deliveries.removeAll(keepingCapacity: true) }
        return deliveries
    }

    /// Keeps a packet for a host to which nothing is attached.
    package mutating func keep(_ packet: [UInt8], of radio: RadioID) {
        outputs[radio.index].put(packet)
    }

    /// Takes out what was kept.
    package mutating func takeOutput(of radio: RadioID) -> [[UInt8]] {
        outputs[radio.index].takeAll()
    }
}

extension Array {
    /// Puts the element where the radio has its place, which may be the next new one.
    fileprivate mutating func put(_ element: Element, at radio: RadioID) {
        if radio.index < count { self[radio.index] = element } else { append(element) }
    }
}
