// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import Synchronization

extension VirtualService {
    /// Returns a service that answers messages, which arrive in parts on one characteristic. The
    /// answers leave in parts on another.
    ///
    /// ```swift
    /// .messages("1B00", writing: "1B01", notifying: "1B02") { request in
    ///     request == Data(#"{"ask":"time"}"#.utf8) ? Data(#"{"time":1}"#.utf8) : nil
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: The UUID of the service.
    ///   - input: The UUID of the characteristic that the phone writes.
    ///   - output: The UUID of the characteristic that sends the answers.
    ///   - framing: The framing of messages: by default an STX before and an ETX after each.
    ///   - chunk: The largest number of bytes in a part of an answer. 20 bytes fit into every link.
    ///   - answer: Returns the answer to a message; `nil` for none.
    public static func messages(
        _ identifier: BluetoothID,
        writing input: BluetoothID,
        notifying output: BluetoothID,
        framing: some MessageFraming = .startEnd(),
        chunk: Int = 20,
        _ answer: @escaping @Sendable (Data) -> Data?
    ) -> VirtualService {
        let parser = MessageAnswering(framing, chunk: chunk, answer)
        return VirtualService(
            identifier,
            [
                .writable(input) { .sends(parser.receive($0), on: output) },
                .notifying(output),
            ]
        )
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
    /// to any other message is not.
    public static func jsonMessages<
        Request: Decodable & SendableMetatype,
        Answer: Encodable & SendableMetatype
    >(
        _ identifier: BluetoothID,
        writing input: BluetoothID,
        notifying output: BluetoothID,
        _ answer: @escaping @Sendable (Request) -> Answer?
    ) -> VirtualService {
        messages(identifier, writing: input, notifying: output, framing: .startEnd()) { bytes in
            let decoder = JSONDecoder()
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            if let asked = try? decoder.decode(Asked<Request>.self, from: bytes) {
                return answer(asked.ask).flatMap {
                    try? encoder.encode(Answered(answer: $0, id: asked.id))
                }
            }
            guard let request = try? decoder.decode(Request.self, from: bytes) else { return nil }
            return answer(request).flatMap { try? encoder.encode($0) }
        }
    }
}

/// The envelope of a request.
private struct Asked<Request: Decodable>: Decodable {
    var ask: Request
    var id: Int
}

/// The envelope of an answer.
private struct Answered<Answer: Encodable>: Encodable {
    var answer: Answer
    var id: Int
}

/// Joins the parts of messages, and splits answers into parts.
private final class MessageAnswering: Sendable {
    private let framing: Mutex<any MessageFraming>
    private let chunk: Int
    private let answer: @Sendable (Data) -> Data?

    init(_ framing: any MessageFraming, chunk: Int, _ answer: @escaping @Sendable (Data) -> Data?) {
        self.framing = Mutex(framing)
        self.chunk = max(chunk, 1)
        self.answer = answer
    }

    func receive(_ bytes: [UInt8]) -> [[UInt8]] {
        framing.withLock { framing in
            var out: [UInt8] = []
            for case .message(let message) in framing.receive(Data(bytes)) {
                guard let answer = answer(message), let frame = try? framing.frame(answer) else {
                    continue
                }
                out += frame
            }
            return stride(from: 0, to: out.count, by: chunk).map { start in
                Array(out[start..<min(start + chunk, out.count)])
            }
        }
    }
}
