// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import CoreBluetooth
    import Foundation
    import HCITransports
    import Lanyard
    import Testing

    /// A Bumble message box; see Peers/messages.py.
    struct MessageBox: Sendable {
        static let service: BluetoothID = "4C414E59-4152-4400-A000-000000001D00"
        static let inbox: BluetoothID = "4C414E59-4152-4400-A000-000000001D01"
        static let outbox: BluetoothID = "4C414E59-4152-4400-A000-000000001D02"
        static let secret: BluetoothID = "4C414E59-4152-4400-A000-000000001D03"
        static let shelf: BluetoothID = "4C414E59-4152-4400-A000-000000001D04"

        /// The app's description of the box.
        static var description: AccessoryDescription {
            var box = AccessoryDescription(
                kind: "message box",
                matching: .service(service),
                services: [
                    ServiceDescription(
                        service,
                        [.write(inbox), .subscribe(outbox), .read(secret)]
                    )
                ]
            )
            box.pairing = .required(probing: secret)
            // Peers are processes on a busy machine.
            box.timeouts.scanning = .seconds(60)
            box.timeouts.connecting = .seconds(30)
            return box
        }

        /// A description without pairing, and with a shelf: a characteristic that collects the
        /// written bytes.
        static var openDescription: AccessoryDescription {
            var box = description
            box.services = [
                ServiceDescription(
                    service,
                    [.subscribe(outbox), CharacteristicDescription(shelf, [.read, .write])]
                )
            ]
            box.pairing = .none
            return box
        }

        /// The box's process. It takes commands as client.py does, and its commands are the methods
        /// of `Box` in messages.py.
        let client: Client

        /// Makes the box send a message of its own.
        func send(_ message: String) async throws {
            try await client.perform("tell", ["message": .string(message)])
        }

        /// Makes the box send a request. Returns the answer.
        func ask(_ message: String) async throws -> JSON {
            try await client.perform("ask", ["message": .string(message)])
        }

        /// Waits until this many bytes were written to the shelf. Returns the length of each write,
        /// and all bytes.
        func written(_ count: Int) async throws -> (lengths: [Int], value: Data) {
            let put = try await client.perform("written", ["count": .number(Double(count))])
            return (put["lengths"].elements.compactMap(\.integer), Data(put["value"].bytes))
        }

        /// Makes the box lose its bonds and end the link.
        func forget() async throws { try await client.perform("forget") }
    }

    /// A controller for our host and one for a Bumble box or central, both of one kind, and a
    /// directory for the stores.
    struct BoxFixture: Sendable {
        /// The time limit for a step, on a busy machine.
        static let limit: Duration = .seconds(60)

        let peers: PeerGroup
        let controllers: Controllers
        let folder: String

        /// Starts a box, or restarts it with its bonds.
        func box(
            options: [String] = [],
            address: String = "F1:A0:00:00:00:0B"
        ) async throws -> MessageBox {
            try await MessageBox(client: messenger("box", address, options))
        }

        /// Starts a central that uses boxes.
        func client() async throws -> Client {
            try await messenger("central", "F1:A0:00:00:00:0C", [])
        }

        /// Starts the demo accessory of the other tests.
        func demo() async throws -> Client { try await accessory("demo") }

        /// Starts an accessory with this profile.
        func accessory(_ profile: String) async throws -> Client {
            let script = PeerInstallation.scripts + "accessory.py"
            let peer = try await peers.start(
                PeerInstallation.python,
                [script, "--adapter", controllers.adapters[1], "--profile", profile]
            )
            return Client(process: peer.process)
        }

        private func messenger(
            _ part: String,
            _ address: String,
            _ options: [String]
        ) async throws -> Client {
            let script = PeerInstallation.scripts + "messages.py"
            let settings = ["--adapter", controllers.adapters[1], "--address", address]
            let store = ["--store", "\(folder)/\(part).json"]
            let peer = try await peers.start(
                PeerInstallation.python,
                [script] + settings + store + options + [part]
            )
            return Client(process: peer.process)
        }

        /// Returns the app's configuration, the same at each launch.
        func configuration() throws -> AccessoryCentral.Configuration {
            var configuration = AccessoryCentral.Configuration(name: "interoperability")
            configuration.adapter = try adapter()
            configuration.store = .file(URL(fileURLWithPath: "\(folder)/accessories.json"))
            return configuration
        }

        /// Returns an adapter with our side's controller.
        func adapter() throws -> CBAdapter {
            let specification = try AdapterSpecification(controllers.adapters[0])
            return CBAdapter(transport: specification.makeTransport())
        }

        /// Waits until an accessory has reached a state. Returns the reason.
        @discardableResult
        func reach(
            _ state: AccessoryState,
            in changes: Events<AccessoryChange>
        ) async throws -> ChangeReason {
            try await within(Self.limit, "\(state)") {
                for await change in changes where change.state == state { return change.reason }
                throw ProcessError.tooSlow("\(state)")
            }
        }
    }

    /// Gives `body` a fixture with controllers for our host and one peer.
    func withBoxFixture(
        on kind: ControllerKind = .lanyard,
        _ body: (BoxFixture) async throws -> Void
    ) async throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind, count: 2)
            try await body(BoxFixture(peers: peers, controllers: controllers, folder: folder))
        }
    }
#endif
