// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// Everything between the controllers of a world: time, the medium, the links, the schedules of the
/// radios and the wires to the hosts.
///
/// Every event of a controller comes with the ether as a parameter:
/// `mutating func receive(_:…, _ ether: inout Ether)`. So a controller never reaches another
/// controller. It sends, and the world delivers. Arrays with one element for each radio are indexed
/// by the radio's number.
package struct Ether: Sendable {
    /// The seed of all randomness.
    package let seed: WorldSeed
    /// The scheduled events, and the current time.
    package var timeline = EventTimeline<WorldEvent>()
    /// The positions of the radios, and the attenuation between them.
    package var environment: RadioEnvironment
    /// The packets that are being sent.
    package var air = Air()
    /// The links.
    package var links = EtherLinks()
    /// The controllers' ends of the wires to the hosts, by radio.
    package var ports: [HostWire] = []
    /// The radios whose ports have output for their hosts, each once.
    var announcedPorts: [RadioID] = []
    /// The faults of those wires, by radio.
    package var wires: [HostWireFaults] = []
    /// The reserved times of each radio, by radio.
    package var schedules: [RadioSchedule] = []
    /// The random reception of each radio, by radio.
    package var receivers: [Receiver] = []
    /// The checks of rules between hosts and controllers; `nil` without checks.
    var watch: InvariantWatch?
    /// The radios that scan or initiate, in the order of their numbers.
    package private(set) var listeners: [Listener] = []
    /// Whether several steps of the world are taken at once where nothing else happens between
    /// them. The result is the same. Tests compare it with the result of single steps.
    package var takesShortcuts = true

    /// Creates an ether without radios.
    package init(seed: WorldSeed, environment: RadioEnvironment) {
        self.seed = seed
        self.environment = environment
    }

    /// The current time.
    package var now: Instant { timeline.now }

    /// Schedules a timer of the controller.
    package mutating func schedule(
        _ timer: ControllerTimer,
        of radio: RadioID,
        at instant: Instant
    ) -> EventToken? {
        timeline.schedule(.timer(timer, radio), at: instant)
    }

    /// Cancels a timer, if it is still due, and sets the token to `nil`.
    package mutating func cancel(_ token: inout EventToken?) {
        if let due = token { timeline.cancel(due) }
        token = nil
    }

    /// Sends a packet on an advertising channel. It may begin up to `Air.leadLimit` from now.
    package mutating func transmit(_ packet: AdvertisingPacket) {
        air.begin(packet.transmission)
        timeline.schedule(.packetEnds(packet), at: packet.transmission.end)
    }

    /// Sends bytes from a host to its controller. They arrive at this instant, after events that
    /// are already due, or later if the wire delays them.
    package mutating func hostSends(_ bytes: [UInt8], to radio: RadioID) {
        watchWire(bytes, .toController, radio)
        guard let arrival = wires[radio.index].toController.send(now: now) else { return }
        timeline.schedule(.hostSent(bytes, radio), at: arrival)
    }

    /// Passes bytes between host and controller to the invariants, if they are watched.
    mutating func watchWire(_ bytes: [UInt8], _ direction: WireDirection, _ radio: RadioID) {
        // A controller without power does not answer commands, so the checks ignore them.
        guard watch != nil, environment[radio]?.isOn == true else { return }
        let now = now
        watch?.observe(bytes, direction, of: ControllerID(radio), now: now)
    }

    /// Sets the times at which a radio scans and initiates, and so may receive packets that are not
    /// addressed to it.
    mutating func setListener(_ listener: Listener) {
        let place = listeners.firstIndex { $0.radio >= listener.radio } ?? listeners.endIndex
        let isThere = place < listeners.endIndex && listeners[place].radio == listener.radio
        switch (isThere, listener.isIdle) {
        case (true, true): listeners.remove(at: place)
        case (true, false): listeners[place] = listener
        case (false, true): break
        case (false, false): listeners.insert(listener, at: place)
        }
    }

    /// Returns the signal strength, as controllers report it, of a packet that has just ended, at a
    /// radio that listened to it; `nil` if the packet does not arrive whole.
    package mutating func receive(
        _ transmission: Transmission,
        pduLength: Int,
        modulation: Modulation,
        at radio: RadioID
    ) -> Int8? {
        guard let full = environment.power(from: transmission.sender, to: radio, at: now) else {
            return nil
        }
        let power = full.reduced(by: transmission.reduction)
        let isDestroyed = air.destroys(transmission, power: power) {
            environment.power(from: $0, to: radio, at: now)
        }
        let report = receive(power, pduLength: pduLength, modulation: modulation, at: radio)
        return isDestroyed ? nil : report
    }

    /// Returns the signal strength, as controllers report it, of a packet that arrives with this
    /// power and does not collide; `nil` if the packet does not arrive whole.
    mutating func receive(
        _ power: ReceivedPower,
        pduLength: Int,
        modulation: Modulation,
        at radio: RadioID
    ) -> Int8? {
        guard let reception = environment.reception(of: radio) else { return nil }
        let chance = reception.probability(
            power: power.decibels,
            pduLength: pduLength,
            modulation: modulation
        )
        let isWhole = receivers[radio.index].takes(chance)
        return isWhole ? ReceivedSignal.report(power.decibels) : nil
    }
}

/// The randomness of reception at one receiver.
package struct Receiver: Sendable {
    /// The losses that the fault plan causes.
    package var loss: LossProcess
    private var generator: RandomStream

    init(_ plan: LossPlan, seed: WorldSeed, radio: RadioID) {
        loss = LossProcess(plan, seed: seed, receiver: radio)
        generator = seed.stream("reception", radio.rawValue)
    }

    /// Returns whether a packet with this probability of reception arrives whole, as far as noise
    /// and the fault plan determine it.
    mutating func takes(_ probability: Double) -> Bool {
        let isWhole = generator.bernoulli(probability)
        let isTaken = loss.takesPacket()
        return isWhole && !isTaken
    }
}

extension RadioID {
    /// The place of the radio in the ether's arrays: radios are counted from 0, without gaps.
    package var index: Int { Int(rawValue) }
}
