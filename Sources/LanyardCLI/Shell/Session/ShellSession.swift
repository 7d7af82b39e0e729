// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import Synchronization

/// The adapter of a shell, with the link and its subscriptions, for as long as the shell runs.
final class ShellSession: Sendable {
    /// The objects and options with which the session works.
    struct Environment: Sendable {
        let central: any CentralAdapter
        let adapter: AdapterSession
        let printer: ShellPrinter
        /// The console for live displays.
        let console: Console
        let dialogue: PairingDialogue
        /// The queue of a script's answers; `nil` if a person answers.
        let answers: QuestionQueue?
        /// Whether a person types the lines at a terminal.
        let isInteractive: Bool
        /// Receives the prompt when the link has ended.
        var promptChanged: @Sendable (LinePrompt) -> Void = { _ in }
    }

    /// The link.
    struct Connection: Sendable {
        /// The number that distinguishes the links of the session.
        let number: Int
        let link: any PeripheralLink
        let name: String?
    }

    struct Subscription: Sendable {
        let reference: CharacteristicReference
        let uuid: BluetoothUUID
        let task: Task<Void, Never>
    }

    struct State {
        var connection: Connection?
        var lastConnection = 0
        /// The number of the link that the shell is ending. Its end is not reported as an event.
        var ending: Int?
        /// The target of the last connection.
        var lastTarget: Target?
        /// The subscriptions by the handle of the value.
        var subscriptions: [UInt16: Subscription] = [:]
        /// The values that arrived and that no `wait` has taken, oldest first.
        var arrived: [ValueReport] = []
        /// Whether an answer waits for the next pairing.
        var hasAnswer = false
        /// The names of devices that were received, for completion. Safe to print.
        var names: Set<String> = []
        /// The characteristics of the connected device, for completion.
        var characteristics: [GATT.Characteristic] = []
        var observers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastObserver = 0
    }

    /// The maximum number of values that no `wait` has taken. Older ones are dropped.
    static let arrivedLimit = 256
    /// The maximum number of names that are remembered for completion.
    static let nameLimit = 500

    let environment: Environment
    let state = Mutex(State())

    init(_ environment: Environment) {
        self.environment = environment
    }

    var central: any CentralAdapter { environment.central }
    var limits: StepLimits { environment.adapter.limits }

    /// Returns the link. Throws if there is none.
    func connection() throws(ProgramFailure) -> Connection {
        guard let connection = state.withLock({ $0.connection }) else {
            throw ProgramFailure(
                .notFound,
                "no device is connected",
                advice: "use 'connect TARGET'"
            )
        }
        return connection
    }

    /// Performs an operation.
    ///
    /// - Parameter line: The number of the line, for operations that print as they run.
    func perform(_ operation: ShellOperation, line: Int) async throws -> ShellOutput {
        switch operation {
        case .scan(let request): try await scan(request, line: line)
        case .connect(let target): try await connect(to: target)
        case .disconnect: try await disconnect()
        case .status: try await status()
        case .explore: try await explore()
        case .read(let reference): try await read(reference)
        case .write(let reference, let bytes, let withResponse):
            try await write(bytes, to: reference, withResponse: withResponse)
        case .subscribe(let references, let kind): try await subscribe(to: references, kind)
        case .unsubscribe(let references): try await unsubscribe(from: references)
        case .pair(let options): try await pair(options)
        case .answer(let text): try answer(text)
        case .bonds: await listBonds()
        case .forget(let target): try await forget(target)
        case .mtu: try await mtu()
        case .parameters(let timing): try await parameters(timing)
        case .rssi: try await rssi()
        case .phy(let phy): try await physicalLayers(phy)
        case .info(let uuid): Self.info(uuid)
        case .decode(let uuid, let bytes): try Self.decode(bytes, of: uuid)
        case .echo(let text): ShellOutput(text, .object([.init("text", .string(text))]))
        case .help(let name):
            try Self.help(name)
        }
    }

    private static func info(_ uuid: BluetoothUUID) -> ShellOutput {
        let explanation = UUIDExplanation(uuid)
        return ShellOutput(explanation.text, explanation.json)
    }

    private static func decode(_ bytes: [UInt8], of uuid: BluetoothUUID) throws -> ShellOutput {
        let value = try DecodedValue(bytes, of: uuid)
        var output = ShellOutput(value.text, value.json)
        output.bytes = bytes
        output.meaning = value.meaning
        return output
    }

    private static func help(_ name: String?) throws -> ShellOutput {
        let text = try ShellVocabulary.help(name)
        return ShellOutput(text, .object([.init("text", .string(text))]))
    }
}

// MARK: - Changes of the state

extension ShellSession {
    /// Changes the state. Each call of `first` that waits then checks the state again.
    func change<Value>(_ body: (inout State) throws -> sending Value) rethrows -> Value {
        try state.withLock { state in
            let value = try body(&state)
            for observer in state.observers.values { observer.yield() }
            return value
        }
    }

    /// Waits until `find` returns a value. `find` can change the state.
    func first<Value: Sendable>(
        _ find: @Sendable (inout State) throws -> Value?
    ) async throws -> Value {
        let (changes, feed) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let number = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = feed
            return state.lastObserver
        }
        defer { state.withLock { $0.observers[number] = nil } }
        if let found = try state.withLock({ try find(&$0) }) { return found }
        for await _ in changes {
            if let found = try state.withLock({ try find(&$0) }) { return found }
        }
        throw CancellationError()
    }
}
