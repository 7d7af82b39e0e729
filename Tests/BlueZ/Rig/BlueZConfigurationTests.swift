// SPDX-License-Identifier: Apache-2.0

import Testing

/// The file that bluetoothd reads.
@Suite struct BlueZConfigurationTests {
    @Test func byDefaultItSpeaksLowEnergyAndPowersNothing() {
        #expect(
            BlueZConfiguration().text
                == "[General]\nControllerMode = le\n[Policy]\nAutoEnable = false\n"
        )
    }

    @Test func whatIsAskedForStandsInItsSection() {
        var configuration = BlueZConfiguration(privacy: "device", cache: "no", channels: 3)
        configuration.others = ["GATT": ["ExchangeMTU": "23"]]
        let text = configuration.text
        #expect(text.contains("[GATT]\nCache = no\nChannels = 3\nExchangeMTU = 23\n"))
        #expect(text.contains("[General]\nControllerMode = le\nPrivacy = device\n"))
    }
}
