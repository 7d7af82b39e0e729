// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import GatewayProtocol
import NIOSSL

/// A code that a person carries from a gateway to a host, once.
///
/// It contains a fingerprint of the gateway's certificate, by which the host recognizes the
/// gateway, and a secret, by which the gateway recognizes the host.
struct EnrollmentCode: Equatable, Sendable, CustomStringConvertible {
    /// The number of bytes of the fingerprint in a code.
    static let fingerprintLength = 16
    /// The digits and letters of a code, without O, I and L, which look like digits, and without U
    /// (Crockford's Base32).
    private static let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let groupLength = 6

    let fingerprint: [UInt8]
    let secret: [UInt8]

    /// Creates a code for a gateway with this certificate.
    init(for certificate: [UInt8]) {
        var generator = SystemRandomNumberGenerator()
        fingerprint = Array(
            NIOSSLCertificate.fingerprint(certificate).prefix(Self.fingerprintLength)
        )
        secret = (0..<Frame.secretLength).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// Reads a code as a person types it: in any case, with dashes or spaces or without.
    init?(_ text: String) {
        var (bits, count) = (UInt32(0), 0)
        var bytes: [UInt8] = []
        for letter in text.uppercased().utf8 where letter != 0x2D && letter != 0x20 {
            // O, I and L stand for the digits that they look like.
            let plain: UInt8 =
                switch letter {
                case UInt8(ascii: "O"): UInt8(ascii: "0")
                case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
                default: letter
                }
            guard let value = Self.letters.firstIndex(of: plain) else { return nil }
            bits = bits << 5 | UInt32(value)
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
            guard bytes.count <= Self.length else { return nil }
        }
        guard bytes.count == Self.length, count < 5 else { return nil }
        fingerprint = Array(bytes.prefix(Self.fingerprintLength))
        secret = Array(bytes.dropFirst(Self.fingerprintLength))
    }

    private static let length = fingerprintLength + Frame.secretLength

    var description: String {
        var (bits, count) = (UInt32(0), 0)
        var letters: [UInt8] = []
        for byte in fingerprint + secret {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 5 {
                count -= 5
                letters.append(Self.letters[Int(bits >> UInt32(count)) & 31])
            }
        }
        if count > 0 { letters.append(Self.letters[Int(bits << UInt32(5 - count)) & 31]) }
        var text = ""
        for (index, letter) in letters.enumerated() {
            if index > 0, index % Self.groupLength == 0 { text += "-" }
            text.unicodeScalars.append(Unicode.Scalar(letter))
        }
        return text
    }

    /// Returns whether a certificate is that of the code's gateway.
    func matches(_ certificate: [UInt8]) -> Bool {
        NIOSSLCertificate.fingerprint(certificate).prefix(Self.fingerprintLength)
            .elementsEqual(fingerprint)
    }
}

/// The one valid code of a gateway, in its folder: the hash of the secret, the end of its validity,
/// and the number of wrong attempts.
struct OpenEnrollment: Sendable {
    private struct Record: Codable {
        var hash: Data
        var validUntil: Date
        var failures: Int
    }

    private static let fileName = "enrollment.json"
    /// The time for which a code is valid.
    static let validity: TimeInterval = 600
    /// The number of wrong secrets after which a code is no longer valid.
    static let failureLimit = 3

    let folder: StateFolder

    /// Makes the code valid, in place of an earlier one.
    func begin(_ code: EnrollmentCode, now: Date) throws {
        let record = Record(
            hash: Self.hash(code.secret),
            validUntil: now + Self.validity,
            failures: 0
        )
        try folder.write(JSONEncoder().encode(record), Self.fileName)
    }

    /// Returns whether a code is valid now.
    func isOpen(now: Date) -> Bool { record(now) != nil }

    /// Returns whether a secret is that of the valid code. The right secret ends the code, and a
    /// wrong one is counted.
    func take(_ secret: [UInt8], now: Date) -> Bool {
        guard var record = record(now) else { return false }
        // The operands are hashes, so the time of the comparison reveals nothing about the secret.
        guard record.hash == Self.hash(secret) else {
            record.failures += 1
            if record.failures >= Self.failureLimit {
                folder.remove(Self.fileName)
            } else if let data = try? JSONEncoder().encode(record) {
                try? folder.write(data, Self.fileName)
            }
            return false
        }
        // Of two attempts at the same time, only one removes the file.
        return folder.remove(Self.fileName)
    }

    private func record(_ now: Date) -> Record? {
        guard let data = folder.read(Self.fileName),
            let record = try? JSONDecoder().decode(Record.self, from: data)
        else { return nil }
        guard record.validUntil > now, record.validUntil <= now + Self.validity else { return nil }
        return record
    }

    private static func hash(_ secret: [UInt8]) -> Data { Data(SHA256.hash(data: secret)) }
}
