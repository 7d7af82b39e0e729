// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// All of a world that is between its controllers: time, the air, the links, the radios' engagements
/// and the wires to the hosts.
///
/// Whatever happens to a controller happens with the ether at hand: `mutating func hear(_:…, _ ether:
/// inout Ether)`. So a controller never reaches another one; it sends, and the world delivers.
/// Everything that is there once for each radio is found by its number.
package struct Ether: Sendable {
    /// From which all chance follows.
    package let seed: WorldSeed
    /// What is due when.
    package var timeline = Timeline<WorldEvent>()
    /// Where the radios are, and what is between them.
    package var surroundings: Surroundings
    /// What is being sent.
    package var air = Air()
    /// The connections.
    package var links = LinkTable()
    /// The wires to the hosts, by radio.
    package var ports: [HostPort] = []
    /// The radios whose ports have something for their hosts, each once.
    var announcedPorts: [RadioID] = []
    /// What goes wrong on those wires, by radio.
    package var wires: [HostWireFaults] = []
    /// What the radios are engaged in, by radio.
    package var schedules: [RadioSchedule] = []
    /// What chance does at the receivers, by radio.
    package var receivers: [Receiver] = []
    /// What looks for broken rules between hosts and controllers; nil if nothing does.
    var watch: InvariantWatch?
    /// The radios that scan or initiate, in the order of their numbers.
    package private(set) var attentive: [RadioID] = []

    /// An ether without radios.
    package init(seed: WorldSeed, surroundings: Surroundings) {
        self.seed = seed
        self.surroundings = surroundings
    }

    /// The present.
    package var now: Instant { timeline.now }

    /// Makes the controller's timer due.
    package mutating func schedule(
        _ timer: ControllerTimer,
        of radio: RadioID,
        at instant: Instant
    ) -> EventToken? {
        timeline.schedule(.timer(timer, radio), at: instant)
    }

    /// Takes a timer back, if it is still due, and forgets it.
    package mutating func cancel(_ token: inout EventToken?) {
        if let due = token { timeline.cancel(due) }
        token = nil
    }

    /// Sends a packet on an advertising channel. It may begin up to `Air.leadLimit` from now.
    package mutating func transmit(_ packet: AdvertisingPacket) {
        air.begin(packet.transmission)
        timeline.schedule(.packetEnds(packet), at: packet.transmission.end)
    }

    /// A host sends octets to its controller, which gets them at this instant, after what is due
    /// already; or later, if the wire takes its time.
    package mutating func hostSends(_ bytes: [UInt8], to radio: RadioID) {
        watchWire(bytes, .toController, radio)
        guard let arrival = wires[radio.index].toController.send(now: now) else { return }
        timeline.schedule(.hostSent(bytes, radio), at: arrival)
    }

    /// Shows octets that pass between host and controller to whatever looks for broken rules.
    mutating func watchWire(_ bytes: [UInt8], _ direction: WireDirection, _ radio: RadioID) {
        // What is said to a controller without power needs no answer.
        guard watch != nil, surroundings[radio]?.isOn == true else { return }
        let now = now
        watch?.see(bytes, direction, of: ControllerID(radio), now: now)
    }

    /// Says whether a radio scans or initiates, and so may hear what is not addressed to it.
    package mutating func setAttentive(_ isAttentive: Bool, _ radio: RadioID) {
        let place = attentive.firstIndex { $0 >= radio } ?? attentive.endIndex
        let isThere = place < attentive.endIndex && attentive[place] == radio
        if isAttentive, !isThere { attentive.insert(radio, at: place) }
        if !isAttentive, isThere { attentive.remove(at: place) }
    }

    /// How strong a packet that has just ended arrives at a radio that listened to it, as
    /// controllers report it; nil if it does not arrive whole.
    package mutating func receive(
        _ transmission: Transmission,
        pduLength: Int,
        modulation: Modulation,
        at radio: RadioID
    ) -> Int8? {
        guard let ear = surroundings.reception(of: radio),
            let full = surroundings.power(from: transmission.sender, to: radio, at: now)
        else { return nil }
        let power = full.reduced(by: transmission.reduction)
        let isCovered = air.destroys(transmission, power: power) {
            surroundings.power(from: $0, to: radio, at: now)
        }
        let chance = ear.probability(
            power: power.decibels,
            pduLength: pduLength,
            modulation: modulation
        )
        let isWhole = receivers[radio.index].takes(chance)
        return isWhole && !isCovered ? SignalStrength.report(power.decibels) : nil
    }
}

/// What chance does at one receiver.
package struct Receiver: Sendable {
    /// What the fault plan takes away.
    package var loss: LossProcess
    private var dice: RandomStream

    init(_ plan: LossPlan, seed: WorldSeed, radio: RadioID) {
        loss = LossProcess(plan, seed: seed, receiver: radio)
        dice = seed.stream("reception", radio.rawValue)
    }

    /// Whether a packet arrives whole that does with the probability, as far as noise goes.
    mutating func takes(_ probability: Double) -> Bool {
        let isWhole = dice.bernoulli(probability)
        let isTaken = loss.takesPacket()
        return isWhole && !isTaken
    }
}

extension RadioID {
    /// Where in the ether's lists the radio is: radios are counted from 0, without gaps.
    package var index: Int { Int(rawValue) }
}
