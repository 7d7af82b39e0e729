// SPDX-License-Identifier: Apache-2.0

import Lanyard
import Tracing

/// The spans of an accessory's links, made from the changes of its state.
///
/// `connect` lasts from the connection request to the link, `discover` from the link until the
/// accessory is ready, and `roam` from the end of the state `ready` until the accessory is ready
/// again. The first two are children of `roam`, if there is one.
struct AccessorySpans {
    private let accessory: String
    private let tracer: any Tracer
    private var roam: (any Span)?
    private var step: (name: String, span: any Span)?
    private var wasReady = false

    init(of accessory: String, tracer: any Tracer) {
        (self.accessory, self.tracer) = (accessory, tracer)
    }

    /// Receives a change of the accessory's state.
    mutating func changed(_ change: AccessoryChange) {
        let isReady = change.state == .ready
        if wasReady, !isReady, change.state.isUnderway { roam = start("roam", in: .topLevel) }
        wasReady = isReady
        switch change.state {
        case .connecting: begin("connect", change)
        case .discoveringServices, .discoveringCharacteristics, .subscribing, .connected:
            begin("discover", change)
        case .ready:
            endStep(change, error: nil)
            roam?.attributes["gap.seconds"] = change.gap.map { $0 / .seconds(1) } ?? 0
            roam?.end()
            roam = nil
        default:
            endStep(change, error: change.reason)
            if !change.state.isUnderway { endRoam(error: change.reason) }
        }
    }

    /// Ends the open spans, because the host no longer connects to the accessory.
    mutating func end() {
        let released = SpanFailure(description: "The host gives up the accessory.")
        fail(step?.span, released)
        fail(roam, released)
        (step, roam) = (nil, nil)
    }

    private mutating func begin(_ name: String, _ change: AccessoryChange) {
        guard step?.name != name else { return }
        // If `connect` follows `discover`, the discovery failed, and the library connects again.
        endStep(change, error: name == "connect" ? change.reason : nil)
        step = (name, start(name, in: roam?.context ?? .topLevel))
    }

    private func start(_ name: String, in context: ServiceContext) -> any Span {
        let span = tracer.startSpan(name, context: context)
        span.attributes["accessory"] = accessory
        return span
    }

    private mutating func endStep(_ change: AccessoryChange, error: ChangeReason?) {
        if let error {
            fail(step?.span, SpanFailure(description: error.description))
        } else {
            step?.span.end()
        }
        step = nil
    }

    private mutating func endRoam(error: ChangeReason) {
        fail(roam, SpanFailure(description: error.description))
        roam = nil
    }

    private func fail(_ span: (any Span)?, _ failure: SpanFailure) {
        span?.setStatus(SpanStatus(code: .error, message: failure.description))
        span?.recordError(failure, attributes: [:])
        span?.end()
    }
}

/// The reason why a span ended without success.
struct SpanFailure: Error, CustomStringConvertible {
    let description: String
}

extension AccessoryState {
    /// Whether the library tries to make the accessory ready.
    fileprivate var isUnderway: Bool {
        switch self {
        case .idle, .disconnecting, .poweredOff, .unauthorized, .unsupported: false
        default: true
        }
    }
}
