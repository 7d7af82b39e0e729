// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing
import VirtualRadio

/// A receiver and a line of advertisers in a room, all on one channel, with path loss, shadowing,
/// collisions and packet loss.
private struct Room: Simulation {
    enum Event { case advertise(RadioID), arrive(Transmission) }

    static let receiver = RadioID(0)
    static let pdu = LegacyAdvertisingPDU.advertisement(dataLength: 31)

    var timeline = EventTimeline<Event>()
    private(set) var trace: [String] = []
    private(set) var sentCount = 0
    private(set) var collisionCount = 0

    private var environment: RadioEnvironment
    private var air = Air()
    private var loss: LossProcess
    private var generator: [RadioID: RandomStream] = [:]
    private let interval: Duration

    /// Creates the advertisers 1 to `count`. Advertiser n is at n meters.
    init(seed: UInt64, count: UInt64, interval: Duration, plan: LossPlan = .none) {
        let seed = WorldSeed(seed)
        environment = RadioEnvironment(
            seed: seed,
            pathLoss: .indoors,
            shadowing: Shadowing(deviation: 4)
        )
        loss = LossProcess(plan, seed: seed, receiver: Self.receiver)
        self.interval = interval
        environment.place(Station(Path(.origin)), as: Self.receiver)
        for number in 0..<count {
            let radio = RadioID(number + 1)
            environment.place(Station(Path(Position(x: Double(number + 1), y: 0))), as: radio)
            generator[radio] = seed.stream("advertising delay", radio.rawValue)
            timeline.schedule(.advertise(radio), after: delay(of: radio))
        }
    }

    mutating func handle(_ event: Event) {
        switch event {
        case .advertise(let radio): advertise(radio)
        case .arrive(let packet): arrive(packet)
        }
    }

    private mutating func advertise(_ radio: RadioID) {
        let packet = Transmission(
            from: radio,
            on: RadioChannel.primaryAdvertising[0],
            start: timeline.now,
            airTime: Self.pdu.airTime
        )
        sentCount += 1
        air.begin(packet)
        timeline.schedule(.arrive(packet), at: packet.end)
        timeline.schedule(.advertise(radio), after: interval + delay(of: radio))
    }

    private mutating func arrive(_ packet: Transmission) {
        let now = timeline.now
        guard let power = environment.power(from: packet.sender, to: Self.receiver, at: now) else {
            return
        }
        let isDestroyed = air.destroys(packet, power: power) {
            environment.power(from: $0, to: Self.receiver, at: now)
        }
        if isDestroyed { collisionCount += 1 }
        guard !isDestroyed, !loss.takesPacket() else { return }
        trace.append("\(now) \(packet.sender) \(ReceivedSignal.report(power.decibels)) dBm")
    }

    private mutating func delay(of radio: RadioID) -> Duration {
        let limit = UInt64(AdvertisingEvent.delayMaximum / .microseconds(1))
        return .microseconds(Int64(generator[radio]?.uniform(below: limit) ?? 0))
    }
}

@Suite struct RoomOfAdvertisersTests {
    private func room(
        seed: UInt64 = 7,
        count: UInt64 = 10,
        milliseconds: Int = 100,
        plan: LossPlan = .none
    ) -> Room {
        Room(seed: seed, count: count, interval: .milliseconds(milliseconds), plan: plan)
    }

    @Test("The same seed gives the same trace in every run")
    func sameSeed() {
        func trace(seed: UInt64) -> [String] {
            var room = room(seed: seed, plan: LossPlan(constantLoss: 0.1))
            room.run(for: .seconds(2))
            return room.trace
        }
        let first = trace(seed: 7)
        #expect(first.count > 100)
        for _ in 0..<100 { #expect(trace(seed: 7) == first) }
        #expect(trace(seed: 8) != first)
    }

    @Test("The rate of packets matches the computed mean rate")
    func rate() {
        var room = room()
        room.run(for: .seconds(60))
        let wanted = 10 * 60 * AdvertisingEvent.meanRate(interval: .milliseconds(100))
        #expect(abs(Double(room.sentCount) - wanted) < wanted * 0.01)
    }

    @Test("A single advertiser is always received at the same strength")
    func singleAdvertiser() {
        var room = room(count: 1)
        room.run(for: .seconds(10))
        #expect(room.collisionCount == 0)
        #expect(room.trace.count >= room.sentCount - 1)
        #expect(Set(room.trace.map { $0.split(separator: " ")[3] }).count == 1)
    }

    @Test("Packets of many advertisers collide more often than packets of few advertisers")
    func collisions() {
        func collisionShare(count: UInt64) -> Double {
            var room = room(count: count, milliseconds: 20)
            room.run(for: .seconds(20))
            return Double(room.collisionCount) / Double(room.sentCount)
        }
        let (few, many) = (collisionShare(count: 3), collisionShare(count: 30))
        // Without capture, 1 - e^(-2 · 376 µs · 29 / 25 ms) = 58 % of the packets of the 30
        // advertisers would collide.
        #expect(few < 0.06)
        #expect(many > 0.3 && many < 0.58)
    }

    @Test("The loss plan removes the given share of packets")
    func lossPlan() {
        var room = room(count: 1, plan: LossPlan(constantLoss: 0.25))
        room.run(for: .seconds(600))
        let received = Double(room.trace.count) / Double(room.sentCount)
        #expect(abs(received - 0.75) < 0.02)
    }
}
