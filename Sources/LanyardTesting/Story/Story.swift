// SPDX-License-Identifier: Apache-2.0

import Lanyard
import Synchronization

/// What has happened in a world, in the order in which it did: what the test did to it, how the
/// accessories that it follows fared, and what it noted down itself.
///
/// It can be compared with one that was written before, and is printed when something that was expected
/// does not happen.
public final class Story: Sendable, CustomStringConvertible {
    /// How many lines it holds; of more, the oldest are left out.
    static let limit = 100_000

    /// Something that happened.
    public struct Line: Hashable, Sendable, CustomStringConvertible {
        /// When, since the world began.
        public let time: Duration
        /// What.
        public let text: String

        /// The time in seconds, to the millisecond, and the text.
        public var description: String { "\(time.inMilliseconds) \(text)" }
    }

    private struct State {
        var lines: [Line] = []
        var followed: [Accessory.ID: (name: String, observation: ObservationToken)] = [:]
    }

    let seed: UInt64
    let directory: String?
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    init(seed: UInt64, directory: String?, _ now: @escaping @Sendable () -> Duration) {
        self.seed = seed
        self.directory = directory
        self.now = now
    }

    /// All that has happened so far.
    public var lines: [Line] { state.withLock { $0.lines } }

    /// The same, without the times.
    public var texts: [String] { lines.map(\.text) }

    /// All lines, one below the other.
    public var description: String { lines.map(\.description).joined(separator: "\n") }

    /// Adds a line, now.
    public func note(_ text: String) {
        let line = Line(time: now(), text: text)
        state.withLock { state in
            if state.lines.count >= Self.limit { state.lines.removeFirst(Self.limit / 2) }
            state.lines.append(line)
        }
    }

    /// Notes every change of an accessory from now on, beginning with how it is. What is expected of an
    /// accessory makes the story follow it as well.
    ///
    /// - Parameter name: what it is called in the story; nil for its own name, or its kind.
    public func follow(_ accessory: Accessory, as name: String? = nil) {
        guard state.withLock({ $0.followed[accessory.id] }) == nil else { return }
        let name = name ?? accessory.name ?? accessory.description.kind
        let observation = accessory.onChange { [weak self] change in
            self?.note("\(name): \(change)")
        }
        state.withLock { $0.followed[accessory.id] = (name, observation) }
    }

    /// What an accessory is called in it.
    func name(of accessory: Accessory) -> String {
        state.withLock { $0.followed[accessory.id]?.name }
            ?? accessory.name ?? accessory.description.kind
    }
}

extension Duration {
    /// Seconds with three digits behind the point.
    var inMilliseconds: String {
        let (seconds, attoseconds) = components
        let milliseconds = String(1_000 + attoseconds / 1_000_000_000_000_000)
        return "\(seconds).\(milliseconds.dropFirst())"
    }
}
