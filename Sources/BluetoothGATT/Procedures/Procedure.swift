// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

extension GATT {
    /// A procedure of Vol 3, Part G, chapter 4, in progress: its outstanding request and its
    /// results so far.
    ///
    /// A procedure never has more than one outstanding request and receives only the response to
    /// that request. It has no access to the bearer, other procedures, or time. An error that it
    /// throws ends it.
    protocol Procedure: Sendable {
        /// Returns the first step.
        ///
        /// - Parameter mtu: The maximum length of a PDU in bytes, which may have increased at the
        ///   next call.
        mutating func begin(mtu: Int) throws(GATT.Failure) -> ProcedureStep

        /// Processes the response to the outstanding request. The response has the kind that the
        /// request requires.
        mutating func receive(
            _ response: ATT.PDU,
            mtu: Int
        ) throws(GATT.Failure) -> ProcedureStep

        /// Processes a failed request: the server refused it (`.attribute`), or sent a response
        /// that cannot be decoded (`.protocolViolation`).
        mutating func receive(
            _ failure: GATT.Failure,
            mtu: Int
        ) throws(GATT.Failure) -> ProcedureStep

        /// Abandons the procedure, because the caller canceled it.
        ///
        /// - Returns: Whether the procedure must continue to its end, for example because
        ///   prepared writes would otherwise remain at the server.
        mutating func abandon() -> Bool
    }
}

/// The next step of a procedure.
enum ProcedureStep: Equatable {
    /// Send this PDU. If it is a request, pass its result to the procedure. A command has no
    /// response, and the procedure is complete when the command is sent.
    case send(ATT.PDU)
    /// The procedure is complete.
    case complete(GATT.Outcome)
}

extension GATT.Procedure {
    mutating func receive(
        _ failure: GATT.Failure,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep {
        throw failure
    }

    mutating func abandon() -> Bool { false }
}

extension GATT.Failure {
    /// Returns the failure for a response of the wrong kind. The bearer matches responses to
    /// requests, so only an error in this package can cause it.
    static func unexpected(_ response: ATT.PDU) -> GATT.Failure {
        .protocolViolation("\(response.opcode) does not answer the request")
    }

    init(_ error: ATT.ErrorResponse) {
        self = .attribute(error.code, handle: error.handle)
    }
}

/// The common part of all discoveries. A discovery sends one request after another, each for the
/// part of a range that remains. It ends when the range is exhausted, or when the server responds
/// with Attribute Not Found, which means that there are no more attributes.
protocol DiscoveryProcedure: GATT.Procedure {
    /// The progress of the discovery.
    var sweep: HandleSweep { get set }

    /// Returns the request for the range from `start` to the end.
    func request(from start: AttributeHandle) -> ATT.PDU

    /// Returns everything that was found. It is called once, at the end.
    func outcome() -> GATT.Outcome

    /// Processes a response and advances the sweep past its attributes.
    mutating func take(_ response: ATT.PDU) throws(GATT.Failure)
}

extension DiscoveryProcedure {
    mutating func begin(mtu: Int) -> ProcedureStep { proceed() }

    mutating func receive(
        _ response: ATT.PDU,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep {
        try take(response)
        return proceed()
    }

    mutating func receive(
        _ failure: GATT.Failure,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep {
        guard case .attribute(.attributeNotFound, _) = failure else { throw failure }
        return .complete(outcome())
    }

    /// Returns the next request, or completes the procedure.
    func proceed() -> ProcedureStep {
        guard let next = sweep.next else { return .complete(outcome()) }
        return .send(request(from: next))
    }
}

extension Array {
    /// Appends a result of a discovery unless the limit is reached.
    ///
    /// - Throws: ``GATT/Failure/tooManyAttributes`` at `GATT.discoveryLimit`.
    mutating func keep(_ element: Element) throws(GATT.Failure) {
        guard count < GATT.discoveryLimit else { throw .tooManyAttributes }
        append(element)
    }
}

/// The progress of a discovery through a range of handles, in ascending order.
///
/// Each response must contain greater handles than all responses before it, and only handles in the
/// requested range. A server cannot make a discovery endless, because every accepted response
/// advances the sweep by at least one handle.
struct HandleSweep: Sendable {
    /// The first handle of the next request, or `nil` when the range is exhausted.
    private(set) var next: AttributeHandle?

    /// The last handle of each request.
    let last: AttributeHandle

    /// Creates a sweep from `first` to `last`, which is empty if `first` is greater than `last`.
    init(from first: AttributeHandle = .first, through last: AttributeHandle = .last) {
        next = first <= last ? first : nil
        self.last = last
    }

    /// Advances past an attribute in a response.
    mutating func pass(_ handle: AttributeHandle) throws(GATT.Failure) {
        try pass(handle, groupEnd: handle)
    }

    /// Advances past a group of attributes in a response.
    mutating func pass(
        _ handle: AttributeHandle,
        groupEnd: AttributeHandle
    ) throws(GATT.Failure) {
        guard let next, handle >= next else {
            throw .protocolViolation("attribute \(handle) is out of order")
        }
        guard handle <= groupEnd else {
            throw .protocolViolation("group \(handle) ends at \(groupEnd), before it begins")
        }
        guard groupEnd <= last else {
            throw .protocolViolation(
                "attribute \(groupEnd) is beyond \(last), the end of the range"
            )
        }
        self.next = groupEnd == last ? nil : groupEnd.next
    }
}

/// Exchange MTU: exchanges the maximum lengths of PDUs that the client and the server receive (Vol
/// 3, Part G, 4.3.1).
///
/// If the server does not support the request, the MTU stays at 23 bytes, which is an outcome and
/// not a failure. Once the request is sent, the procedure always runs to its end, because a client
/// may exchange MTUs only once on each link and could not repeat a canceled exchange.
struct ExchangeMTU: GATT.Procedure {
    let receiveMTU: Int

    func begin(mtu: Int) -> ProcedureStep {
        .send(.exchangeMTURequest(.init(receiveMTU: UInt16(receiveMTU))))
    }

    func receive(_ response: ATT.PDU, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard case .exchangeMTUResponse = response else { throw .unexpected(response) }
        return .complete(.mtu(mtu))
    }

    func receive(_ failure: GATT.Failure, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard case .attribute(.requestNotSupported, _) = failure else { throw failure }
        return .complete(.mtu(mtu))
    }

    func abandon() -> Bool { true }
}
