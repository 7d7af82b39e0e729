// SPDX-License-Identifier: Apache-2.0

#if canImport(LanyardTesting)
    import BluetoothHost
    import BluetoothTypes
    import CoreBluetooth
    import HCITransports
    import Lanyard
    import LanyardTesting
    import Logging
    import Synchronization
    import VirtualRadio

    /// What the story is told with: a world, a phone in the middle of it, four accessories around, and an
    /// application on the phone, which can be ended and begun again.
    final class DemoStage: Sendable {
        /// How many links the phone can have: fewer than there are accessories.
        static let slots = 3
        /// The number from which all chance follows, on the air and in the keys, which protect nothing
        /// therefore: every run is the same.
        static let seed: UInt64 = 7

        private struct State {
            var central: AccessoryCentral?
            var accessories: [String: Accessory] = [:]
            /// The one that is being paired, which nobody has yet.
            var pairing: String?
            var policyAllows = false
            var chapters: [Timeline.Chapter] = []
        }

        let world: TestWorld
        let person: DemoPerson
        let recorder = FlightRecorder()
        let store = MemoryAccessoryStore()
        private let phone: ControllerID
        private let adapter: CBAdapter
        private let live: [String: LiveAccessory]
        private let state = Mutex(State())

        /// - Parameter directory: where packet logs go; nil for none.
        init(teller: StoryTeller, tracingInto directory: String?) throws {
            let world = TestWorld(seed: Self.seed, tracingInto: directory)
            self.world = world
            person = DemoPerson(teller)
            var place = ControllerConfiguration(name: "Phone")
            place.linkLimit = Self.slots
            phone = try world.air.world.addController(place)
            adapter = CBAdapter(
                transport: world.air.adapter(of: phone),
                executor: world.air.executor,
                configuration: Self.hostConfiguration
            )
            live = [
                "Strap": world.add(DemoKinds.virtualStrap, at: .metres(1.5)),
                "Lamp": world.add(DemoKinds.virtualLamp, at: .metres(3)),
                "Scale": world.add(DemoKinds.virtualScale, at: .metres(4)),
                "Thermometer": world.add(DemoKinds.virtualThermometer, at: .metres(6)),
            ]
            adapter.pairingDelegate = person
            recorder.setStart(.init(timeIntervalSince1970: 0))
        }

        private static var hostConfiguration: HostConfiguration {
            var configuration = HostConfiguration()
            configuration.store = MemoryStore()
            configuration.address = DeviceAddress(value: 0xC4F0_0000_0001, kind: .random)
            configuration.randomness = SplitMix64(seed: seed)
            configuration.bondLossPolicy = .ask
            configuration.logger = Logger(label: "lanyard") { _ in SwiftLogNoOpLogHandler() }
            return configuration
        }

        // MARK: The application

        /// The application's process begins: with what its store remembers, and what the system kept.
        func beginApplication() -> AccessoryCentral {
            var configuration = AccessoryCentral.Configuration(
                name: "demo",
                adapter: adapter,
                timekeeper: world.timekeeper,
                seed: Self.seed
            )
            configuration.store = store
            configuration.recorder = recorder
            configuration.connectionLimit = .fixed(Self.slots)
            configuration.policy = DemoPolicy { [weak self] in
                self?.state.withLock { $0.policyAllows } ?? false
            }
            let kinds = [DemoKinds.strap, DemoKinds.lamp, DemoKinds.scale, DemoKinds.thermometer]
            let central = AccessoryCentral(for: kinds, configuration: configuration)
            state.withLock { $0.central = central }
            for accessory in central.accessories { know(accessory) }
            return central
        }

        /// Its process ends, and nothing of it is left but what store and system keep.
        func endApplication() async {
            state.withLock { state in
                state.central = nil
                state.accessories = [:]
            }
            await adapter.shutDown()
        }

        /// What runs; a chapter that asks for it when nothing does is wrong.
        var central: AccessoryCentral {
            get throws(ProgramFailure) {
                guard let central = state.withLock({ $0.central }) else {
                    throw ProgramFailure(.internalError, "the application does not run")
                }
                return central
            }
        }

        /// Whether a link may be ended to make room for another.
        var policyAllows: Bool {
            get { state.withLock { $0.policyAllows } }
            set { state.withLock { $0.policyAllows = newValue } }
        }

        // MARK: Accessories

        /// Has the application pair one of these, and knows it by its name from here on.
        func pair(
            _ description: AccessoryDescription
        ) async throws -> Accessory {
            state.withLock { $0.pairing = description.kind }
            defer { state.withLock { $0.pairing = nil } }
            let accessory = try await central.pair(description)
            know(accessory)
            return accessory
        }

        /// The accessory goes by its name from here on.
        func know(_ accessory: Accessory) {
            let name = accessory.name ?? accessory.description.kind
            state.withLock { $0.accessories[name] = accessory }
        }

        func forget(_ name: String) {
            state.withLock { $0.accessories[name] = nil }
        }

        /// The accessory as the application has it.
        func accessory(_ name: String) throws(ProgramFailure) -> Accessory {
            guard let found = state.withLock({ $0.accessories[name] }) else {
                throw ProgramFailure(.internalError, "\(name) is not known")
            }
            return found
        }

        /// The accessory as it is in the world.
        func live(_ name: String) throws(ProgramFailure) -> LiveAccessory {
            guard let found = live[name] else {
                throw ProgramFailure(.internalError, "there is no \(name)")
            }
            return found
        }

        // MARK: What there is to see

        /// On the thread of the world.
        func update(_ scene: inout StoryScene) {
            let (accessories, isRunning) = state.withLock { ($0.accessories, $0.central != nil) }
            let pairing = state.withLock { $0.pairing }
            let status = world.air.world.status
            scene.time = world.now
            scene.slots = Self.slots
            scene.isRunning = isRunning
            scene.devices = DemoKinds.names.compactMap { name in
                guard let controller = live[name]?.controller,
                    let place = status.controllers.first(where: { $0.id == controller })
                else { return nil }
                let power = world.air.world.power(from: controller, to: phone)
                return StoryScene.Device(
                    name: name,
                    state: name == pairing ? lastState(of: name) : accessories[name]?.state,
                    metres: place.position.distance(to: .origin),
                    signal: Int((power ?? -127).rounded())
                )
            }
        }

        /// What the recorder noted last.
        private func lastState(of name: String) -> AccessoryState? {
            let last = recorder.recording.events.last { $0.device == name && $0.lane == .state }
            return last.flatMap { AccessoryState(named: $0.text) }
        }

        // MARK: The time line

        /// A chapter begins now.
        func mark(chapter title: String) {
            let chapter = Timeline.Chapter(microseconds: world.microseconds, title: title)
            state.withLock { $0.chapters.append(chapter) }
        }

        /// Somebody does something to an accessory now.
        func note(_ text: String, of name: String) {
            recorder.record(.note, text, of: name, at: world.now)
        }

        /// What was recorded, with the packets of all controllers where there are logs.
        func timeline(packetsFrom directory: String?) throws -> Timeline {
            var timeline = Timeline(title: "Accessories that stay connected")
            timeline.subtitle = "The story of `lanyard demo`, in virtual time"
            timeline.chapters = state.withLock { $0.chapters }
            for name in ["Phone"] + DemoKinds.names { _ = timeline.device(name) }
            timeline.add(recorder.recording, central: "Phone")
            timeline.start = nil
            guard let directory else { return timeline }
            for controller in world.air.world.status.controllers where controller.name != "phone" {
                let file = "\(directory)/\(controller.id.number)-\(controller.name).btsnoop"
                try timeline.addPackets(ofLog: file, device: controller.name, zero: 0)
            }
            return timeline
        }
    }

    extension TestWorld {
        fileprivate var microseconds: Int64 {
            let (seconds, attoseconds) = now.components
            return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        }
    }
#endif
