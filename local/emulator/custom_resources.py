"""Custom resources of the CDK that MiniStack would run as Lambda functions which need the AWS CLI."""

import fnmatch
import io
import mimetypes
import zipfile

from ministack.services import s3
from ministack.services.cloudformation import provisioners

from .patching import require

HANDLERS = provisioners._RESOURCE_HANDLERS
TYPE = "Custom::CDKBucketDeployment"


def upload_bucket_deployments():
    """The CDK's BucketDeployment uploads files with a Python function that needs the AWS CLI, which this machine may
    lack. This correction puts the files into the bucket directly."""
    patch = upload_bucket_deployments
    require(TYPE not in HANDLERS, patch, f"no handler of {TYPE}")
    for name in ("_get_object_data", "_put_object"):
        require(hasattr(s3, name), patch, f"s3.{name}")

    def create(logical_id, props, stack_name):
        _upload(props)
        return f"{stack_name}-{logical_id}", {"DestinationBucketArn": f"arn:aws:s3:::{props['DestinationBucketName']}"}

    def update(physical_id, old_props, new_props, stack_name):
        _upload(new_props)
        return physical_id, {"DestinationBucketArn": f"arn:aws:s3:::{new_props['DestinationBucketName']}"}

    HANDLERS[TYPE] = {"create": create, "update": update, "delete": lambda physical_id, props: None}


def _upload(props):
    prefix = props.get("DestinationBucketKeyPrefix", "")
    metadata = {name.lower(): value for name, value in props.get("SystemMetadata", {}).items()}
    for bucket, key in zip(props["SourceBucketNames"], props["SourceObjectKeys"]):
        data = s3._get_object_data(bucket, key)
        if data is None:
            raise ValueError(f"{TYPE}: there is no object s3://{bucket}/{key}")
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            for name in package.namelist():
                if not name.endswith("/") and _is_included(name, props):
                    _put(props["DestinationBucketName"], prefix + name, package.read(name), metadata)


def _is_included(name, props):
    """The last filter that matches decides, and includes follow excludes, as in `aws s3 sync`."""
    excluded = any(fnmatch.fnmatch(name, pattern) for pattern in props.get("Exclude") or [])
    return not excluded or any(fnmatch.fnmatch(name, pattern) for pattern in props.get("Include") or [])


def _put(bucket, key, body, metadata):
    content_type = mimetypes.guess_type(key)[0] or "application/octet-stream"
    status, *_ = s3._put_object(bucket, key, body, {"content-type": content_type, **metadata})
    if status >= 300:
        raise ValueError(f"{TYPE}: s3://{bucket}/{key} was refused with {status}")
