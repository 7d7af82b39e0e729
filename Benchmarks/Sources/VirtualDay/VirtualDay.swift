// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import Foundation
    import Lanyard
    import LanyardTesting
    import VirtualAccessories

    // A day of a home with many thermometers, in virtual time: `VirtualDay [ACCESSORIES] [HOURS]`,
    // by default 100 and 24. It prints how long that took, and ends with status 1 if it took more
    // than a minute, or if some thermometer is not ready at the end.
    //
    // Thermometers advertise every 1022.5 ms, one of the intervals in Apple's accessory guidelines.
    // Once they are connected they request a connection interval of 1.5 s, which is usual for
    // devices whose battery has to last for years. Three such intervals fit into the supervision
    // timeout, five seconds here. Each thermometer sends a value every minute, and moves out of
    // range for five minutes in every hour.
    @main
    struct VirtualDay {
        private static let limit = Duration.seconds(60)

        static func main() async throws {
            let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
            let home = Home(thermometers: arguments.first ?? 100)
            let hours = arguments.dropFirst().first ?? 24
            let start = ContinuousClock.now
            let outcome: Home.Outcome
            do {
                outcome = try await home.live(hours: hours)
            } catch {
                print("The day ended early: \(error)")
                exit(1)
            }
            let duration = ContinuousClock.now - start
            print(
                "\(hours) h of \(home.thermometers.count) accessories: \(duration), "
                    + "\(outcome.readyCount) ready in the end, \(outcome.returnCount) times ready"
            )
            exit(duration <= limit && outcome.readyCount == home.thermometers.count ? 0 : 1)
        }
    }

    /// A phone in the middle, and thermometers around it.
    final class Home: Sendable {
        struct Outcome: Sendable {
            var readyCount: Int
            var returnCount: UInt64
        }

        let thermometers: [LiveAccessory]
        private let world = TestWorld(seed: 24)
        private let phone: TestPhone

        init(thermometers count: Int) {
            let world = world
            phone = world.addPhone("Hub", connectionLimit: count)
            thermometers = (0..<count).map { number in
                let accessory = VirtualAccessory(
                    "T\(number)",
                    services: [
                        VirtualService(
                            "1809",
                            [.notifying("2A1C", every: .seconds(60)) { [0, UInt8($0 % 40)] }]
                        )
                    ],
                    advertisingInterval: .microseconds(1_022_500)
                )
                return world.add(accessory, at: .meters(2 + Double(number % 10)))
            }
        }

        func live(hours: Int) async throws -> Outcome {
            let pairing = timeLimit * (2 * thermometers.count)
            let limit = Duration.seconds(3600 * (hours + 1)) + pairing
            return try await world.run(for: limit) { [self] in
                var configuration = phone.configuration
                configuration.store = .memory
                let central = AccessoryCentral(
                    for: thermometers.indices.map(description),
                    configuration: configuration
                )
                var rests: [ObservationToken] = []
                for number in thermometers.indices {
                    let accessory = try await central.pair(description(number))
                    rests.append(slowDown(thermometers[number], as: accessory))
                    try await world.advance(by: .seconds(1))
                }
                for _ in 0..<hours { try await hour() }
                let accessories = central.accessories
                let outcome = Outcome(
                    readyCount: accessories.count { $0.state == .ready },
                    returnCount: accessories.reduce(0) {
                        $0 + UInt64($1.attempts.last?.number ?? 0)
                    }
                )
                for rest in rests { rest.cancel() }
                await central.shutDown()
                return outcome
            }
        }

        /// Changes to a slow connection whenever it is ready.
        private func slowDown(
            _ thermometer: LiveAccessory,
            as accessory: Accessory
        ) -> ObservationToken {
            world.slowDown(thermometer)
            return accessory.onChange { [world] change in
                if change.state == .ready { world.slowDown(thermometer) }
            }
        }

        /// Moves the thermometers out of range for five minutes, one after the other.
        private func hour() async throws {
            for (number, thermometer) in thermometers.enumerated() {
                let leaving = Duration.seconds(3000) * number / thermometers.count
                world.later(leaving) { thermometer.walk(to: .outOfRange, over: .seconds(20)) }
                world.later(leaving + .seconds(300)) { thermometer.comeBack(over: .seconds(20)) }
            }
            try await world.advance(by: .seconds(3600))
        }

        /// The time to find a thermometer, and to connect to it. The links take most of the radio's
        /// time, and the packets of many advertisers collide. Among a hundred thermometers, the
        /// phone receives one packet of each in some seconds, and so also needs some seconds to
        /// connect.
        private var timeLimit: Duration { .seconds(max(60, thermometers.count)) }

        private func description(_ number: Int) -> AccessoryDescription {
            var description = AccessoryDescription(
                kind: "thermometer \(number)",
                matching: .all(.service("1809"), .name("T\(number)")),
                services: [ServiceDescription("1809", [.subscribe("2A1C")])]
            )
            description.timeouts.scanning = timeLimit
            description.timeouts.connecting = timeLimit
            description.timeouts.firstPairing = timeLimit * 2
            return description
        }
    }

    extension TestWorld {
        /// Makes an accessory request a connection interval of 1.5 s.
        fileprivate func slowDown(_ accessory: LiveAccessory) {
            later(.zero) { [self] in
                guard let controller = accessory.controller else { return }
                air.world.perform(at: controller, as: SimpleAccessory.self) { accessory, now in
                    accessory.perform(.requestInterval(.milliseconds(1500)), now: now)
                }
            }
        }
    }
#else
    @main
    enum VirtualDay {
        static func main() {
            print("This benchmark runs on Linux only.")
        }
    }
#endif
