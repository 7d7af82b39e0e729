// SPDX-License-Identifier: Apache-2.0

import JSONText
import Synchronization
import Tracing

/// A span of a `SpanFile`.
final class FileSpan: Span {
    /// The maximum number of events. Further ones are dropped.
    static let eventLimit = 32

    private struct State {
        var operationName: String
        var attributes: SpanAttributes = [:]
        var events: [JSON] = []
        var status: SpanStatus?
        var hasEnded = false
    }

    /// The identifiers of a trace and a span. The context carries them to the children of the span.
    fileprivate struct Identity: Sendable {
        let trace: String
        let span: String

        /// The key of an identity in a context.
        enum Key: ServiceContextKey {
            typealias Value = Identity
        }
    }

    let context: ServiceContext
    private let identity: Identity
    private let parent: String?
    private let kind: SpanKind
    private let start: UInt64
    private let state: Mutex<State>
    private let append: @Sendable (String) -> Void

    init(
        _ operationName: String,
        in parent: ServiceContext,
        kind: SpanKind,
        start: UInt64,
        append: @escaping @Sendable (String) -> Void
    ) {
        let outer = parent[Identity.Key.self]
        let trace = outer?.trace ?? Self.digits() + Self.digits()
        let identity = Identity(trace: trace, span: Self.digits())
        self.identity = identity
        var context = parent
        context[Identity.Key.self] = identity
        self.context = context
        (self.parent, self.kind, self.start, self.append) = (outer?.span, kind, start, append)
        state = Mutex(State(operationName: operationName))
    }

    /// Returns 16 random hexadecimal digits that are not all 0.
    private static func digits() -> String {
        let text = String(UInt64.random(in: 1...(.max)), radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    var operationName: String {
        get { state.withLock { $0.operationName } }
        set { state.withLock { $0.operationName = newValue } }
    }
    var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }
    var isRecording: Bool { state.withLock { !$0.hasEnded } }

    func setStatus(_ status: SpanStatus) { state.withLock { $0.status = status } }
    func addLink(_ link: SpanLink) {}

    func addEvent(_ event: SpanEvent) {
        add(event.name, event.attributes, at: event.nanosecondsSinceEpoch)
    }

    func recordError<Instant: TracerInstant>(
        _ error: any Error,
        attributes: SpanAttributes,
        at instant: @autoclosure () -> Instant
    ) {
        // The names are those of OpenTelemetry's semantic conventions.
        var attributes = attributes
        attributes["exception.type"] = "\(type(of: error))"
        attributes["exception.message"] = "\(error)"
        add("exception", attributes, at: instant().nanosecondsSinceEpoch)
    }

    private func add(_ name: String, _ attributes: SpanAttributes, at time: UInt64) {
        let event = JSON.object([
            .init("timeUnixNano", .string("\(time)")), .init("name", .string(name)),
            .init("attributes", attributes.json),
        ])
        state.withLock { state in
            if state.events.count < Self.eventLimit { state.events.append(event) }
        }
    }

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let end = instant().nanosecondsSinceEpoch
        let line = state.withLock { state -> String? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return describe(state, end: end)
        }
        if let line { append(line) }
    }

    private func describe(_ state: State, end: UInt64) -> String {
        let status = state.status.map { status in
            JSON.compacting([
                "code": .integer(status.code == .ok ? 1 : 2),
                "message": status.message.map { .string($0) },
            ])
        }
        let span = JSON.compacting([
            "traceId": .string(identity.trace), "spanId": .string(identity.span),
            "parentSpanId": parent.map { .string($0) }, "name": .string(state.operationName),
            "kind": .integer(kind.number), "startTimeUnixNano": .string("\(start)"),
            "endTimeUnixNano": .string("\(max(end, start))"),
            "attributes": state.attributes.json,
            "events": state.events.isEmpty ? nil : .array(state.events), "status": status,
        ])
        let scope = JSON.object([
            .init("scope", .object([.init("name", .string("lanyard-fleet"))])),
            .init("spans", .array([span])),
        ])
        var resource = SpanAttributes()
        resource["service.name"] = "lanyard-fleet"
        let spans = JSON.object([
            .init("resource", .object([.init("attributes", resource.json)])),
            .init("scopeSpans", .array([scope])),
        ])
        return JSON.object([.init("resourceSpans", .array([spans]))]).compact
    }
}

extension SpanKind {
    /// The number in OpenTelemetry's protocol.
    fileprivate var number: Int {
        switch self {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }
}

extension SpanAttributes {
    /// The attributes in OpenTelemetry's JSON. Values of other types, such as arrays, become text.
    fileprivate var json: JSON {
        var members: [(String, JSON)] = []
        forEach { key, attribute in
            let value: JSON =
                switch attribute {
                case .int32(let number):
                    .object([.init("intValue", .string("\(number)"))])
                case .int64(let number):
                    .object([.init("intValue", .string("\(number)"))])
                case .double(let number): .object([.init("doubleValue", .number(number))])
                case .bool(let bool): .object([.init("boolValue", .bool(bool))])
                case .string(let text): .object([.init("stringValue", .string(text))])
                default: .object([.init("stringValue", .string("\(attribute)"))])
                }
            members.append((key, value))
        }
        return .array(
            members.sorted { $0.0 < $1.0 }.map { key, value in
                .object([.init("key", .string(key)), .init("value", value)])
            }
        )
    }
}
