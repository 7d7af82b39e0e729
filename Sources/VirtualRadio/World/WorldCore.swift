// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A world as a value: the ether, and the controllers that meet in it.
package struct WorldCore: Simulation {
    /// How many packets of a controller wait for a host that does not take them; beyond, the
    /// oldest are lost.
    package static let outputLimit = 65_536

    package var ether: Ether
    /// Sees every packet on an advertising channel when it ends, whoever hears it: a sniffer.
    package var packetObserver: ((AdvertisingPacket) -> Void)?
    package private(set) var controllers: [VirtualController] = []
    /// The hosts that the world runs by itself.
    var scriptedHosts = ScriptedHosts()
    private var outputs: [[[UInt8]]] = []
    /// What reached hosts since it was taken last, in order.
    private var deliveries: [(radio: RadioID, packet: [UInt8])] = []

    package init(seed: WorldSeed, pathLoss: PathLoss, shadowing: Shadowing) {
        ether = Ether(
            seed: seed,
            surroundings: Surroundings(seed: seed, pathLoss: pathLoss, shadowing: shadowing)
        )
    }

    package var timeline: Timeline<WorldEvent> {
        _read { yield ether.timeline }
        _modify { yield &ether.timeline }
    }

    /// Puts a controller into the world; nil if it is full.
    package mutating func addController(_ configuration: ControllerConfiguration) -> RadioID? {
        let radio = RadioID(UInt64(controllers.count))
        let station = Station(configuration.path, transmitPower: configuration.transmitPower)
        guard ether.surroundings.place(station, as: radio) else { return nil }
        ether.ports.append(HostPort())
        ether.schedules.append(RadioSchedule())
        ether.links.accounts.append(LinkAccount(configuration))
        ether.receivers.append(
            Receiver(configuration.faults.loss, seed: ether.seed, radio: radio)
        )
        outputs.append([])
        var dice = ether.seed.stream("public address", radio.rawValue)
        let made = DeviceAddress(value: dice.next(), kind: .public)
        controllers.append(
            VirtualController(
                configuration,
                radio: radio,
                publicAddress: configuration.publicAddress ?? made,
                seed: ether.seed
            )
        )
        return radio
    }

    package mutating func handle(_ event: WorldEvent) {
        switch event {
        case .timer(let timer, let radio): controllers[radio.index].timerFired(timer, &ether)
        case .packetEnds(let packet): end(packet)
        case .link(let timer, let link): ether.linkTimerFired(timer, link)
        case .hostSent(let bytes, let radio): controllers[radio.index].receive(bytes, &ether)
        case .controllerSent(let packet, let radio): deliver(packet, toHostOf: radio)
        case .scriptedHostDue(let radio): scriptedHosts.deadlinePassed(at: radio, &ether)
        case .fault: break
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

    private mutating func collectOutput() {
        for index in ether.ports.indices where !ether.ports[index].output.isEmpty {
            let radio = RadioID(UInt64(index))
            for packet in ether.ports[index].takeOutput() { deliver(packet, toHostOf: radio) }
        }
    }

    private mutating func deliver(_ packet: [UInt8], toHostOf radio: RadioID) {
        ether.watchWire(packet, .toHost, radio)
        if scriptedHosts.isSeated(radio) {
            scriptedHosts.receive(packet, at: radio, &ether)
        } else {
            deliveries.append((radio, packet))
        }
    }

    package mutating func takeDeliveries() -> [(radio: RadioID, packet: [UInt8])] {
        defer { deliveries.removeAll(keepingCapacity: true) }
        return deliveries
    }

    package mutating func keep(_ packet: [UInt8], of radio: RadioID) {
        outputs[radio.index].append(packet)
        if outputs[radio.index].count > Self.outputLimit { outputs[radio.index].removeFirst() }
    }

    package mutating func takeOutput(of radio: RadioID) -> [[UInt8]] {
        defer { outputs[radio.index] = [] }
        return outputs[radio.index]
    }
}
