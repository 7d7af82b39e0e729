// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import VirtualAccessories
import VirtualRadio

extension VirtualService {
    /// Returns a service that exchanges messages: those of the phone arrive in parts on one
    /// characteristic, and those of the accessory leave in parts on another.
    ///
    /// ```swift
    /// .messages("1B00", writing: "1B01", notifying: "1B02") { request in
    ///     request == Data(#"{"ask":"time"}"#.utf8) ? Data(#"{"time":1}"#.utf8) : nil
    /// }
    /// ```
    ///
    /// ``LiveAccessory/push(bytes:through:)`` sends a message that is not an answer. No state
    /// survives a link: each link begins with a new session of the sealing and without parts of
    /// earlier messages.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the service.
    ///   - input: The UUID of the characteristic that the phone writes.
    ///   - output: The UUID of the characteristic that sends messages.
    ///   - framing: The framing of messages: by default an STX before and an ETX after each.
    ///   - sealing: The sealing of messages, as `MessageChannelOptions.sealing` of the phone; `nil`
    ///     for none. A message that does not open is dropped.
    ///   - answer: A closure that returns the answer to a message; `nil` for none.
    public static func messages(
        _ identifier: BluetoothID,
        writing input: BluetoothID,
        notifying output: BluetoothID,
        framing: any MessageFraming = .startEnd(),
        sealing: (any MessageSealing)? = nil,
        _ answer: @escaping @Sendable (Data) -> Data?
    ) -> VirtualService {
        var service = VirtualService(identifier, [.writable(input), .notifying(output)])
        service.messages = VirtualMessages(
            input: input,
            output: output,
            options: MessageChannelOptions(framing: framing, sealing: sealing),
            answer: answer
        )
        return service
    }

    /// Returns a service that answers JSON messages of one type. Other messages get no answer.
    ///
    /// ```swift
    /// .jsonMessages("1B00", writing: "1B01", notifying: "1B02") { (request: Question) in
    ///     Reply(reply: request.question * 2)
    /// }
    /// ```
    ///
    /// The answer to a request in the envelope of a `MessageChannel` is in an envelope. The answer
    /// to any other message is not. ``LiveAccessory/push(_:through:as:)`` sends a message that is
    /// not an answer.
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the service.
    ///   - input: The UUID of the characteristic that the phone writes.
    ///   - output: The UUID of the characteristic that sends messages.
    ///   - sealing: The sealing of messages, as `MessageChannelOptions.sealing` of the phone; `nil`
    ///     for none.
    ///   - answer: A closure that returns the answer to a message; `nil` for none.
    public static func jsonMessages<
        Request: Decodable & SendableMetatype,
        Answer: Encodable & SendableMetatype
    >(
        _ identifier: BluetoothID,
        writing input: BluetoothID,
        notifying output: BluetoothID,
        sealing: (any MessageSealing)? = nil,
        _ answer: @escaping @Sendable (Request) -> Answer?
    ) -> VirtualService {
        messages(identifier, writing: input, notifying: output, sealing: sealing) { bytes in
            let decoder = JSONDecoder()
            if let asked = try? decoder.decode(RequestEnvelope<Request>.self, from: bytes) {
                return answer(asked.ask).flatMap {
                    try? JSONEncoder.sorted.encode(AnswerEnvelope(answer: $0, id: asked.id))
                }
            }
            guard let request = try? decoder.decode(Request.self, from: bytes) else { return nil }
            return answer(request).flatMap { try? JSONEncoder.sorted.encode($0) }
        }
    }
}

extension LiveAccessory {
    // MARK: Messages

    /// Sends a message of a message service to the phone, framed, and sealed if the service has a
    /// sealing. The message is lost if no phone is subscribed, or if too many bytes already wait. A
    /// sealed message waits for the session of the sealing, but not longer than the link lasts.
    ///
    /// - Parameters:
    ///   - message: The bytes of the message.
    ///   - service: The UUID of a service that
    ///     ``VirtualService/messages(_:writing:notifying:framing:sealing:_:)`` or `jsonMessages`
    ///     has made.
    public func push(bytes message: Data, through service: BluetoothID) {
        act("pushes a message through \(service)") { [self] _, controller in
            guard let endpoint = endpoints[service] else {
                preconditionFailure("\(name) has no message service \(service)")
            }
            world.radio.perform(at: controller, as: SimpleAccessory.self) { accessory, now in
                let bytes = endpoint.push(message, link: accessory.linkCount)
                let output = endpoint.definition.output.bluetoothUUID
                return accessory.perform(.sendBytes(bytes, of: output), now: now)
            }
        }
    }

    /// Sends a message as JSON; see ``push(bytes:through:)``.
    ///
    /// - Parameters:
    ///   - message: The message. A message that cannot be encoded is a mistake in the test, and
    ///     stops it.
    ///   - service: The UUID of the service.
    ///   - form: Whether the message is in an envelope, as the phone's
    ///     `MessageChannelOptions.form`.
    public func push(
        _ message: some Encodable,
        through service: BluetoothID,
        as form: MessageChannelOptions.Form = .enveloped
    ) {
        let encoded =
            switch form {
            case .enveloped: try? JSONEncoder.sorted.encode(TellEnvelope(tell: message))
            case .plain: try? JSONEncoder.sorted.encode(message)
            }
        guard let encoded else { preconditionFailure("\(message) cannot be encoded") }
        push(bytes: encoded, through: service)
    }
}

/// The envelope of a request.
private struct RequestEnvelope<Request: Decodable>: Decodable {
    var ask: Request
    var id: Int
}

/// The envelope of an answer.
private struct AnswerEnvelope<Answer: Encodable>: Encodable {
    var answer: Answer
    var id: Int
}

/// The envelope of a message.
private struct TellEnvelope<Message: Encodable>: Encodable {
    var tell: Message
}

extension JSONEncoder {
    /// An encoder whose output is the same in every run.
    fileprivate static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}
