import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { readPhoneNumber } from '../../../../shared/integrations/voice/vapi/phone-number.ts';
import { vapiCredentials } from '../../../../shared/integrations/voice/vapi/vapi.ts';
import { secretReader } from '../../../../shared/stores/secrets.ts';
import { type Check, failed, ok, warning } from './check.ts';

const ANSWER_MS = 5_000;

/** Checks that the voice platform accepts the stage's key and has its number. */
export const number: Check = {
  name: 'number',
  rights: 'secretsmanager:GetSecretValue',
  async examine({ cloud, settings, requireStack, admin }) {
    await requireStack('data');
    const { voiceApiUrl } = await settings();
    const secret = secretReader(
      cloud.readOnlyClient(SecretsManagerClient),
      cloud.named.secret('voice'),
      vapiCredentials,
    );
    const { api_key, phone_number_id: id } = await secret();
    const set = admin('secret set --name voice', 'voice.json');
    if (id === undefined)
      return [
        warning('The secret voice names no number: only organizations with a number of their own can call.', set),
      ];
    const url = cloud.voiceUrl ?? voiceApiUrl;
    const found = await readPhoneNumber({ url, apiKey: api_key, timeoutMs: ANSWER_MS }, id);
    switch (found.kind) {
      case 'found':
        return [
          found.status === 'active'
            ? ok(`The voice platform has the number ${id}, and it is active.`)
            : failed(
                `The number ${id} is ${found.status} at the voice platform.`,
                `Check it in the platform's dashboard.`,
              ),
        ];
      case 'not_found':
        return [failed(`The voice platform does not have the number ${id}.`, set)];
      case 'refused':
        return [failed('The voice platform refuses the key of the secret voice.', set)];
      default:
        return [
          failed(`Not checked: the voice platform at ${url} gives no answer (${found.reason}).`, admin('doctor')),
        ];
    }
  },
};
