// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

#if canImport(LanyardTesting)
    import BluetoothHost
    import CoreBluetooth
    import HCITransports
    import Lanyard
    import LanyardTesting
    import Logging
    import Synchronization
    import VirtualRadio

    /// The environment of the demo: a world, a phone in the middle of it, four accessories around
    /// it, and an app on the phone that can be terminated and relaunched.
    final class DemoEnvironment: Sendable {
        /// The number of connection slots of the phone: fewer than there are accessories.
        static let slots = 3
        /// The seed of all random numbers, of the radio and of the keys, so that every run is the
        /// same. The keys protect nothing.
        static let seed: UInt64 = 7

        private struct State {
            var central: AccessoryCentral?
            var accessories: [String: Accessory] = [:]
            /// The name of the accessory that is being paired and that the app does not have yet.
            var pairing: String?
            var policyAllows = false
            var chapters: [Timeline.Chapter] = []
            /// The indices of the recorded events that came while the app was being terminated.
            var unseen: [Range<Int>] = []
        }

        let world: TestWorld
        let person: DemoUser
        let recorder = FlightRecorder()
        let store = MemoryAccessoryStore()
        private let phone: ControllerID
        private let adapter: CBAdapter
        private let live: [String: LiveAccessory]
        private let state = Mutex(State())

        /// Creates the phone and its world.
        ///
        /// - Parameter directory: The directory for packet logs; `nil` for none.
        init(printer: DemoPrinter, tracingInto directory: String?) throws {
            let world = TestWorld(seed: Self.seed, tracingInto: directory)
            self.world = world
            person = DemoUser(printer)
            var place = ControllerConfiguration(name: "Phone")
            place.linkLimit = Self.slots
            phone = try world.air.world.addController(place)
            adapter = CBAdapter(
                transport: world.air.adapter(of: phone),
                executor: world.air.executor,
                configuration: Self.hostConfiguration
            )
            live = [
                "Strap": world.add(DemoAccessories.virtualStrap, at: .meters(1.5)),
                "Lamp": world.add(DemoAccessories.virtualLamp, at: .meters(3)),
                "Scale": world.add(DemoAccessories.virtualScale, at: .meters(4)),
                "Thermometer": world.add(DemoAccessories.virtualThermometer, at: .meters(6)),
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

        // MARK: App

        /// Launches the app, with the contents of its store and the state that the system
        /// preserved.
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
            let kinds = [
                DemoAccessories.strap, DemoAccessories.lamp, DemoAccessories.scale,
                DemoAccessories.thermometer,
            ]
            let central = AccessoryCentral(for: kinds, configuration: configuration)
            state.withLock { $0.central = central }
            for accessory in central.accessories { know(accessory) }
            return central
        }

        /// Terminates the app.
        func endApplication() async {
            let names = state.withLock { state in
                defer { (state.central, state.accessories) = (nil, [:]) }
                return state.accessories.keys.sorted()
            }
            for name in names {
                recorder.record(
                    .state,
                    "notRunning",
                    of: name,
                    at: world.now,
                    detail: "The app is terminated."
                )
            }
            // A terminated app receives no callbacks, so the recording leaves out the events that
            // the end of its adapter causes.
            let first = recorder.recording.events.count
            await adapter.shutDown()
            let end = recorder.recording.events.count
            state.withLock { $0.unseen.append(first..<end) }
        }

        /// The central of the running app. Throws if the app does not run.
        var central: AccessoryCentral {
            get throws(ProgramFailure) {
                guard let central = state.withLock({ $0.central }) else {
                    throw ProgramFailure(.internalError, "the app is not running")
                }
                return central
            }
        }

        /// Whether a link may be ended to free its connection slot.
        var policyAllows: Bool {
            get { state.withLock { $0.policyAllows } }
            set { state.withLock { $0.policyAllows = newValue } }
        }

        // MARK: Accessories

        /// Pairs an accessory of this kind with the app, and registers it under its name.
        func pair(
            _ description: AccessoryDescription
        ) async throws -> Accessory {
            state.withLock { $0.pairing = description.kind }
            defer { state.withLock { $0.pairing = nil } }
            let accessory = try await central.pair(description)
            know(accessory)
            return accessory
        }

        /// Registers the accessory under its name.
        func know(_ accessory: Accessory) {
            let name = accessory.name ?? accessory.description.kind
            state.withLock { $0.accessories[name] = accessory }
        }

        func forget(_ name: String) {
            state.withLock { $0.accessories[name] = nil }
        }

        /// Returns the app's object of an accessory.
        func accessory(_ name: String) throws(ProgramFailure) -> Accessory {
            guard let found = state.withLock({ $0.accessories[name] }) else {
                throw ProgramFailure(.internalError, "\(name) is not known")
            }
            return found
        }

        /// Returns the virtual device of an accessory, with which the demo moves or resets it.
        func live(_ name: String) throws(ProgramFailure) -> LiveAccessory {
            guard let found = live[name] else {
                throw ProgramFailure(.internalError, "there is no \(name)")
            }
            return found
        }

        // MARK: Scene

        /// Updates the scene, on the thread of the world.
        func update(_ scene: inout DemoScene) {
            let (accessories, isRunning) = state.withLock { ($0.accessories, $0.central != nil) }
            let pairing = state.withLock { $0.pairing }
            let status = world.air.world.status
            scene.time = world.now
            scene.slots = Self.slots
            scene.isRunning = isRunning
            scene.devices = DemoAccessories.names.compactMap { name in
                guard let controller = live[name]?.controller,
                    let place = status.controllers.first(where: { $0.id == controller })
                else { return nil }
                let power = world.air.world.power(from: controller, to: phone)
                return DemoScene.Device(
                    name: name,
                    state: name == pairing ? lastState(of: name) : accessories[name]?.state,
                    meters: place.position.distance(to: .origin),
                    signal: Int((power ?? -127).rounded())
                )
            }
        }

        /// Returns the last state that the recorder noted.
        private func lastState(of name: String) -> AccessoryState? {
            let last = recorder.recording.events.last { $0.device == name && $0.lane == .state }
            return last.flatMap { AccessoryState(named: $0.text) }
        }

        // MARK: The timeline

        /// Marks the beginning of a chapter.
        func mark(chapter title: String) {
            let chapter = Timeline.Chapter(microseconds: world.microseconds, title: title)
            state.withLock { $0.chapters.append(chapter) }
        }

        /// Records that a person does something to an accessory.
        func note(_ text: String, of name: String) {
            recorder.record(.note, text, of: name, at: world.now)
        }

        /// The recording without the events that the app did not see.
        private var seenRecording: FlightRecording {
            let (recording, unseen) = (recorder.recording, state.withLock { $0.unseen })
            let events = recording.events.enumerated().filter { index, _ in
                !unseen.contains { $0.contains(index) }
            }
            return FlightRecording(
                start: recording.start,
                events: events.map(\.element),
                dropped: recording.dropped
            )
        }

        /// Returns the recording, with the packets of the phone and the accessories if there are
        /// logs.
        func timeline(packetsFrom directory: String?) throws -> Timeline {
            var timeline = Timeline(title: "Accessories that stay connected")
            timeline.subtitle = "The story of `lanyard demo`, in virtual time"
            timeline.chapters = state.withLock { $0.chapters }
            for name in ["Phone"] + DemoAccessories.names { _ = timeline.device(name) }
            timeline.add(seenRecording, central: "Phone")
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
        fileprivate var microseconds: Int64 { now.nanoseconds / 1_000 }
    }
#endif
