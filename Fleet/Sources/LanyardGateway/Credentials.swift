// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// The key and the self-signed certificate of a gateway or a host.
///
/// Each side recognizes the other side's certificate by its bytes, so no authority signs a
/// certificate, and the dates and names in it have no effect.
struct Credentials: Sendable {
    let certificate: NIOSSLCertificate
    let key: NIOSSLPrivateKey
    /// The certificate in DER.
    let bytes: [UInt8]

    private static let certificateName = "certificate.pem"
    private static let keyName = "key.pem"
    /// The validity in a certificate, which some tools require: from a day ago, for 30 years.
    private static let validity = (before: -86_400.0, after: 30 * 365 * 86_400.0)

    /// Reads the credentials in a folder, or makes them.
    init(in folder: StateFolder) throws {
        if let key = folder.read(Self.keyName), let pem = folder.read(Self.certificateName) {
            certificate = try NIOSSLCertificate(bytes: Array(pem), format: .pem)
            self.key = try NIOSSLPrivateKey(bytes: Array(key), format: .pem)
        } else {
            let (key, pem) = try Self.make()
            try folder.write(Data(key.utf8), Self.keyName)
            try folder.write(Data(pem.utf8), Self.certificateName)
            certificate = try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem)
            self.key = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
        }
        bytes = try certificate.toDERBytes()
    }

    private static func make() throws -> (key: String, certificate: String) {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("lanyard") }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: Date(timeIntervalSinceNow: validity.before),
            notValidAfter: Date(timeIntervalSinceNow: validity.after),
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth, .clientAuth])
            },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        return (key.pemRepresentation, try certificate.serializeAsPEM().pemString)
    }

    /// Returns the settings for TLS 1.3 with a certificate on both sides.
    func context(isServer: Bool) throws -> NIOSSLContext {
        var settings =
            isServer
            ? TLSConfiguration.makeServerConfiguration(
                certificateChain: [.certificate(certificate)],
                privateKey: .privateKey(key)
            )
            : TLSConfiguration.makeClientConfiguration()
        if !isServer {
            settings.certificateChain = [.certificate(certificate)]
            settings.privateKey = .privateKey(key)
        }
        settings.minimumTLSVersion = .tlsv13
        // The connection's callback compares the certificate. This value makes TLS require one.
        settings.certificateVerification = .noHostnameVerification
        settings.applicationProtocols = ["lanyard-gateway/1"]
        return try NIOSSLContext(configuration: settings)
    }
}

extension NIOSSLCertificate {
    /// Returns the fingerprint of a certificate in DER: its SHA-256.
    static func fingerprint(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
}
