// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Lanyard

/// The events of a world in order: the actions of the test, the changes of followed accessories,
/// and the test's own notes.
///
/// A test can compare it with an earlier story. A failed expectation prints it.
public final class Story: Sendable, CustomStringConvertible {
    /// The maximum number of lines. When it is reached, the older half is removed.
    static let limit = 100_000

    /// An event of the story.
    public struct Line: Hashable, Sendable, CustomStringConvertible {
        /// The time of the event, since the beginning of the world.
        public let time: Duration
        /// The description of the event.
        public let text: String

        /// The time in seconds, to the millisecond, and the text.
        public var description: String { "\(time.inSeconds) \(text)" }
    }

    private struct State {
        var lines: [Line] = []
        /// The records of the followed accessories. Each launch of the app has another record of an
        /// accessory.
        var followed: [ObjectIdentifier: (any AnyObject & Sendable, ObservationToken)] = [:]
        /// The names of the followed accessories.
        var names: [Accessory.ID: String] = [:]
    }

    let seed: UInt64
    let directory: String?
    private let now: @Sendable () -> Duration
    private let state = Lock(State())

    init(seed: UInt64, directory: String?, _ now: @escaping @Sendable () -> Duration) {
        self.seed = seed
        self.directory = directory
        self.now = now
    }

    /// The lines so far. When there are 100,000, the older half is removed.
    public var lines: [Line] { state.withLock { $0.lines } }

    /// The texts of all lines, without the times.
    public var texts: [String] { lines.map(\.text) }

    /// All lines, one on each line of text.
    public var description: String { lines.map(\.description).joined(separator: "\n") }

    /// Adds a line at the current time.
    public func note(_ text: String) {
        let line = Line(time: now(), text: text)
        state.withLock { state in
            if state.lines.count >= Self.limit { state.lines.removeFirst(Self.limit / 2) }
            state.lines.append(line)
        }
    }

    /// Records every change of an accessory from now on, beginning with its current state. An
    /// expectation of an accessory also makes the story follow it. The story does not keep the
    /// accessory's central running.
    ///
    /// - Parameters:
    ///   - accessory: The accessory.
    ///   - name: The name in the story; `nil` for its name at an earlier launch of the app, or else
    ///     the accessory's own name or, if it has none, its kind.
    public func follow(_ accessory: Accessory, as name: String? = nil) {
        let record = accessory.record
        let key = ObjectIdentifier(record)
        guard state.withLock({ $0.followed[key] }) == nil else { return }
        let name = name ?? self.name(of: accessory)
        let observation = accessory.observe { [weak self] change in
            self?.note("\(name): \(change)")
        }
        state.withLock { state in
            state.followed[key] = (record, observation)
            state.names[accessory.id] = name
        }
    }

    /// Returns the name of an accessory in the story.
    func name(of accessory: Accessory) -> String {
        state.withLock { $0.names[accessory.id] }
            ?? accessory.name ?? accessory.description.kind
    }
}

extension Duration {
    /// The duration in seconds, with three decimal places.
    var inSeconds: String {
        let (seconds, attoseconds) = components
        let milliseconds = String(1_000 + attoseconds / 1_000_000_000_000_000)
        return "\(seconds).\(milliseconds.dropFirst())"
    }
}
