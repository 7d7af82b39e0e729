// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatewayProtocol
import Testing

@testable import LanyardGateway

@Suite("Enrollment codes and addresses")
struct EnrollmentCodeTests {
    @Test("A code is read as it was printed, in any case, with spaces, and with similar letters")
    func roundTrip() throws {
        for number in 0..<200 {
            let code = EnrollmentCode(for: [UInt8(number)])
            let text = code.description
            #expect(EnrollmentCode(text) == code)
            #expect(
                EnrollmentCode(text.lowercased().replacingOccurrences(of: "-", with: " ")) == code
            )
            let similar = text.replacingOccurrences(of: "0", with: "o")
                .replacingOccurrences(of: "1", with: "L")
            #expect(EnrollmentCode(similar) == code)
            #expect(code.matches([UInt8(number)]))
            #expect(!code.matches([UInt8(number), 0]))
        }
    }

    @Test("A text that is too short or too long, or that has other letters, is not a code")
    func malformed() {
        let text = EnrollmentCode(for: [1]).description
        #expect(EnrollmentCode("") == nil)
        #expect(EnrollmentCode(String(text.dropLast())) == nil)
        #expect(EnrollmentCode(text + "0") == nil)
        #expect(EnrollmentCode(text + text) == nil)
        #expect(EnrollmentCode("U" + text.dropFirst()) == nil)
    }

    @Test("A code ends after ten minutes, and at its first use")
    func validity() throws {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let enrollment = OpenEnrollment(folder: try StateFolder(path))
        let code = EnrollmentCode(for: [1])
        let now = Date()
        #expect(!enrollment.isOpen(now: now))
        try enrollment.begin(code, now: now)
        #expect(enrollment.isOpen(now: now + 599))
        #expect(!enrollment.isOpen(now: now + 601))
        #expect(!enrollment.take(code.secret, now: now + 601))
        #expect(enrollment.take(code.secret, now: now + 1))
        #expect(!enrollment.take(code.secret, now: now + 1))
    }

    @Test(
        "An address is parsed with or without its port, or refused",
        arguments: [
            ("hall", "hall:6403"), ("hall:1", "hall:1"), ("[::1]:7", "[::1]:7"),
            ("::1", "[::1]:6403"),
            ("[::1]", "[::1]:6403"), ("10.0.0.1:65535", "10.0.0.1:65535"), ("hall:65536", nil),
            ("", nil), (":1", nil), ("a/b:1", nil), ("..:1", nil), ("[::1:7", nil), ("a b", nil),
        ] as [(String, String?)]
    )
    func addresses(text: String, result: String?) {
        #expect(GatewayAddress(argument: text)?.description == result)
    }
}
